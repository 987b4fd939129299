// The analysis of a model: the checked form of `analysis` and `output` of a model file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sestina {

struct Analysis {
  std::string type;         // one of analysis_types()
  std::string coordinates;  // relative | cartesian | state_time
  std::string solver;       // one of solver_names()
  std::string integrator;
  int integrator_stages = 3;                 // lobatto_iiia_iiib: 2 or 3
  std::string integrator_form = "momentum";  // lobatto_iiia_iiib: velocity | momentum
  double spectral_radius = 0.9;              // generalized_alpha: from 0 to 1
  std::string driver;                        // variable | fixed
  double dt = 0.0;                           // s, for the fixed driver
  std::string control;                       // for the variable driver: pi | pid
  bool land_on_output = false;               // steps end at the instants of the output
  int elements = 0;                          // state_time, as the following members
  std::string pair;                          // polynomials, or "auto"
  std::string tests;                         // natural | upwind
  std::string scheme;                        // newton | linear_quadratic
  int windows = 0;
  int stretches = 0;            // stretches of a window, solved in parallel; 0: one for each process
  double tolerance = 0.0;       // 0: elements of equal length, as many as `elements`
  double rtol = 0.0;            // for the variable driver
  double atol = 0.0;            // for the variable driver, in the unit of each coordinate and speed
  double max_step = 0.0;        // s, for the variable driver
  double duration = 0.0;        // s
  double output_every = 0.0;    // s
  double most_rows = 1e7;       // limit on the rows of output_every
  long most_steps = 0;          // limit for one run; 0: none
  double most_wall_time = 0.0;  // s, limit for one run; 0: none
  int load_steps = 1;           // for statics
  bool arc_length = false;      // for statics
  std::string about;            // for modes and frequency_response: equilibrium | initial
  std::string input;            // for frequency_response: a free parameter
  double lowest_frequency = 0.0, highest_frequency = 0.0;  // Hz; 0: from the natural frequencies
  int frequencies = 0;                                     // number of frequencies for frequency_response
  // True if they were given; otherwise they follow from the duration.
  bool has_own_max_step = false, has_own_rows = false;
};

// s. Steps are fractions of the duration, and their powers must not underflow.
inline constexpr double kShortestDuration = 1e-60;

// Sets another duration (s), and the longest step and the row interval that follow from it where they were
// not given: a step longer than the action of a force may miss it.
void set_duration(Analysis& analysis, double duration, bool depends_on_time);
// Returns text such as "-1 is negative", or nothing if a run can have this duration.
std::string find_duration_fault(double duration);

// The only integrator with options.
inline constexpr std::string_view kIntegratorWithOptions = "lobatto_iiia_iiib";

// The integrator with a spectral radius; the default integrator for a model with contacts or stops.
inline constexpr std::string_view kIntegratorWithRadius = "generalized_alpha";
inline constexpr std::string_view kIntegratorWithContacts = "moreau";
// The default integrator for a model with beams: waves cross an element in much less time than the beam
// swings.
inline constexpr std::string_view kIntegratorWithBeams = "radau_iia";
// The default integrator of a description that gives none.
const std::string& default_integrator(std::string_view coordinates);

// The keywords allowed in `analysis`.
const std::vector<std::string>& analysis_types();
const std::vector<std::string>& mode_states();
const std::vector<std::string>& coordinates_names();
const std::vector<std::string>& solver_names();
const std::vector<std::string>& integrator_names();
const std::vector<std::string>& integrator_forms();
const std::vector<std::string>& driver_names();
const std::vector<std::string>& control_names();
const std::vector<std::string>& element_pair_names();   // for coordinates: state_time
const std::vector<std::string>& pair_names();           // and "auto"
const std::vector<std::string>& test_function_names();  // for coordinates: state_time
const std::vector<std::string>& scheme_names();         // for coordinates: state_time

}  // namespace sestina
