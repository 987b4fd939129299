// Particles in Python: runs of model files with `particles`, and steps from outside.
#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>

#include "arrays.h"
#include "bind.h"
#include "limits.h"
#include "sestina/base/error.h"
#include "sestina/io/result_file.h"
#include "sestina/io/text_file.h"
#include "sestina/parallel/executor.h"
#include "sestina/particle_run/mechanism.h"
#include "sestina/particle_run/particle_run.h"
#include "views.h"
#include "watch.h"

namespace sestina::python {

namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 30;  // of a model file
constexpr auto kSignalPeriod = std::chrono::milliseconds(100);

ParticleRunSpec read_spec(const std::filesystem::path& file, const std::vector<std::string>& set) {
  const ModelTree tree = read_model_tree(file, {set});
  if (!has_particles(tree)) {
    throw InputError(
        fmt::format("{}: has no `particles`: sestina.load reads models of bodies", file.string()));
  }
  return read_particle_run(tree);
}

// The particles of a model file, with the threads that move them.
class Particles {
 public:
  Particles(const std::filesystem::path& file, const std::vector<std::string>& set, int threads)
      : spec_(read_spec(file, set)), executor_(threads), system_(make_system(file)) {
    if (spec_.relax_steps > 0) system_->relax(spec_.relax_steps, spec_.relax_move);
  }

  const ParticleRunSpec& spec() const { return spec_; }
  const ParticleModel& model() const { return spec_.model; }
  int size() const { return system_->size(); }
  double t() const { return system_->t(); }
  const Box& box() const { return system_->box(); }
  std::int64_t steps() const { return system_->steps(); }
  std::int64_t list_builds() const { return system_->list_builds(); }
  int threads() const { return executor_.threads(); }

  // Ctrl-C ends it after a whole step.
  void step(std::int64_t count, std::optional<double> dt) {
    const double h = dt.value_or(spec_.dt);
    if (count < 0) throw InputError(fmt::format("steps: {} is negative", count));
    if (!(h > 0.0 && std::isfinite(h))) throw InputError(fmt::format("dt: {} is not a positive number", h));
    const AtWork at_work(*this);
    const nb::gil_scoped_release release;
    auto next_look = std::chrono::steady_clock::now() + kSignalPeriod;
    for (std::int64_t i = 0; i < count; ++i) {
      system_->step(h);
      if (std::chrono::steady_clock::now() < next_look) continue;
      const nb::gil_scoped_acquire acquire;
      if (PyErr_CheckSignals() < 0) nb::raise_python_error();
      next_look = std::chrono::steady_clock::now() + kSignalPeriod;
    }
  }
  ParticleMeasures measure() {
    const AtWork at_work(*this);
    const nb::gil_scoped_release release;
    return system_->measure();
  }
  template <class Copy>
  nb::object vectors(Copy copy) const {
    const AtWork at_work(*this);
    Results values(Shape{size()}, Shape{3});
    copy(*system_, values.values());
    return values.release();
  }
  ParticleCheckpoint save() const {
    const AtWork at_work(*this);
    return system_->save();
  }
  void restore(const ParticleCheckpoint& checkpoint) {
    const AtWork at_work(*this);
    system_->restore(checkpoint);
  }

 private:
  // Other threads are refused during its lifetime.
  class AtWork {
   public:
    explicit AtWork(const Particles& particles) : flag_(particles.is_at_work_) {
      if (flag_.exchange(true))
        throw InputError("the particles are in the middle of a step on another thread");
    }
    ~AtWork() { flag_ = false; }
    AtWork(const AtWork&) = delete;
    AtWork& operator=(const AtWork&) = delete;

   private:
    std::atomic<bool>& flag_;
  };

  std::unique_ptr<ParticleSystem> make_system(const std::filesystem::path& file) {
    try {
      mechanism_ = make_mechanism(spec_);
      return std::make_unique<ParticleSystem>(spec_.model, executor_, default_instruction_set(),
                                              mechanism_.get());
    } catch (const ComputationError& error) {
      throw InputError(fmt::format("{}: particles: {}", file.string(), error.reason()));
    }
  }

  ParticleRunSpec spec_;
  Executor executor_;
  std::unique_ptr<Mechanism> mechanism_;  // null: the model has no bodies
  std::unique_ptr<ParticleSystem> system_;
  mutable std::atomic<bool> is_at_work_{false};
};

nb::object masses(const Particles& self) {
  std::vector<double> values;
  for (const int species : self.model().species_of) {
    values.push_back(self.model().species[static_cast<std::size_t>(species)].mass);
  }
  return new_array(values);
}

std::vector<std::string> species_names(const Particles& self) {
  std::vector<std::string> names;
  for (const Species& species : self.model().species) names.push_back(species.name);
  return names;
}

nb::tuple box(const Particles& self) {
  const Box& box = self.box();
  return nb::make_tuple(new_array(std::span(box.lower)), new_array(std::span(box.length)),
                        nb::make_tuple(box.periodic[0], box.periodic[1], box.periodic[2]));
}

void bind_measures(nb::module_& module) {
  nb::class_<ParticleMeasures>(module, "ParticleMeasures", nb::type_slots(plain_described_slots),
                               "What is measured of all particles at one time, in the model's units.")
      .def_ro("t", &ParticleMeasures::t, "Time.")
      .def_ro("temperature", &ParticleMeasures::temperature,
              "Of the degrees of freedom that are free to move: 3 n, less one for each axis along which "
              "nothing changes the total momentum.")
      .def_ro("pressure", &ParticleMeasures::pressure, "(2 kinetic + virial)/(3 volume).")
      .def_ro("kinetic", &ParticleMeasures::kinetic, "Kinetic energy, with that of the spins of grains.")
      .def_ro("rotational", &ParticleMeasures::rotational, "Kinetic energy of the spins of grains.")
      .def_ro("dissipated", &ParticleMeasures::dissipated,
              "Work that the contacts of grains have taken and do not store, a part of the conserved total.")
      .def_ro("pair", &ParticleMeasures::pair, "Energy of pair forces; of grains, what contacts store.")
      .def_ro("bonded", &ParticleMeasures::bonded, "Energy of bonds, angles and dihedrals.")
      .def_ro("field", &ParticleMeasures::field, "Energy in the surroundings: gravity, tethers, walls.")
      .def_prop_ro("potential", &ParticleMeasures::potential, "pair + bonded + field.")
      .def_ro("thermostat", &ParticleMeasures::thermostat,
              "Energy given to a Nose-Hoover thermostat, so that the total is conserved.")
      .def_ro("barostat", &ParticleMeasures::barostat,
              "Energy given to a barostat, a part of the conserved total.")
      .def_ro("volume", &ParticleMeasures::volume, "Of the box.")
      .def_prop_ro("total", &ParticleMeasures::total,
                   "kinetic + potential + thermostat + barostat + dissipated.")
      .def_ro("virial", &ParticleMeasures::virial, "Sum of r . F.")
      .def("__repr__", [](const ParticleMeasures& m) {
        return fmt::format(
            "<sestina.ParticleMeasures t = {:g}: temperature {:g}, pressure {:g}, energy {:g}>", m.t,
            m.temperature, m.pressure, m.total());
      });
}

void bind_particle_checkpoint(nb::module_& module) {
  nb::class_<ParticleCheckpoint>(module, "ParticleCheckpoint", nb::type_slots(plain_described_slots),
                                 "The state of particles, as Particles.save() returns it.")
      .def_ro("t", &ParticleCheckpoint::t, "Time.")
      .def_ro("steps", &ParticleCheckpoint::steps)
      .def("__repr__", [](const ParticleCheckpoint& saved) {
        return fmt::format("<sestina.ParticleCheckpoint {} particles at t = {:g}>", saved.number.size(),
                           saved.t);
      });
}

// Copies of the numbers of each particle.
void bind_particle_arrays(nb::class_<Particles>& type) {
  const auto array = [&type](const char* name, auto read, const char* explanation) {
    type.def_prop_ro(
        name, read,
        nb::sig(("def " + std::string(name) + "(self) -> numpy.typing.NDArray[numpy.float64]").c_str()),
        explanation);
  };
  array(
      "positions",
      [](const Particles& self) {
        return self.vectors([](const auto& system, auto out) { system.copy_positions(out); });
      },
      "(n, 3) They follow a particle across the faces of the box.");
  array(
      "velocities",
      [](const Particles& self) {
        return self.vectors([](const auto& system, auto out) { system.copy_velocities(out); });
      },
      "(n, 3)");
  array(
      "forces",
      [](const Particles& self) {
        return self.vectors([](auto& system, auto out) { system.copy_forces(out); });
      },
      "(n, 3)");
  array(
      "spins",
      [](const Particles& self) {
        return self.vectors([](const auto& system, auto out) { system.copy_spins(out); });
      },
      "(n, 3) Angular velocities of grains in rad/s, in ground axes; zero for other particles.");
  array("masses", masses, "(n)");
  array(
      "charges", [](const Particles& self) { return new_array(self.model().charge); },
      "(n); empty if there are none.");
  type.def_prop_ro("species", species_names, "The names of the species.")
      .def_prop_ro(
          "species_of", [](const Particles& self) { return self.model().species_of; },
          "The species of each particle, as an index.")
      .def_prop_ro("box", box,
                   nb::sig("def box(self) -> tuple[numpy.typing.NDArray[numpy.float64], "
                           "numpy.typing.NDArray[numpy.float64], tuple[bool, bool, bool]]"),
                   "(3) lower corner, (3) lengths, and whether each direction is periodic.");
}

void bind_particles_class(nb::module_& module) {
  nb::class_<Particles> type(module, "Particles", nb::type_slots(plain_described_slots),
                             "The particles of a model file, of load_particles(), moved step by step. Arrays "
                             "are copies, in the order of the file or lattice, in the model's units.");
  type.def("step", &Particles::step, nb::arg("steps") = 1, nb::arg("dt") = nb::none(),
           "Moves all particles on by a number of steps of `dt`, by default that of the model. Raises "
           "ComputationError, which names the particle, if one is no longer finite.")
      .def("measure", &Particles::measure, "Temperature, pressure and energies now.")
      .def("save", &Particles::save, "A copy of the state, from which restore() goes on bit for bit.")
      .def("restore", &Particles::restore, nb::arg("saved"), "Returns to a state that save() has kept.")
      .def("__len__", &Particles::size)
      .def_prop_ro("name", [](const Particles& self) { return self.spec().name; })
      .def_prop_ro("t", &Particles::t, "Time.")
      .def_prop_ro("steps", &Particles::steps, "Since the beginning.")
      .def_prop_ro(
          "dt", [](const Particles& self) { return self.spec().dt; }, "The model's step.")
      .def_prop_ro(
          "duration", [](const Particles& self) { return self.spec().duration; }, "Of the model's run.")
      .def_prop_ro("threads", &Particles::threads)
      .def_prop_ro("list_builds", &Particles::list_builds, "How often lists of neighbours were made.")
      .def("__repr__", [](const Particles& self) {
        const std::string& name = self.spec().name;
        return fmt::format("<sestina.Particles {}: {} particles at t = {:g}>",
                           name.empty() ? "without a name" : name, self.size(), self.t());
      });
  bind_particle_arrays(type);
}

void bind_particle_report(nb::module_& module) {
  nb::class_<ParticleReport>(module, "ParticleReport", nb::type_slots(plain_described_slots),
                             "The report at the end of a run of particles.")
      .def_prop_ro(
          "status",
          [](const ParticleReport& report) {
            using Status = ParticleReport::Status;
            return report.status == Status::kComplete ? "complete"
                   : report.status == Status::kFailed ? "failed"
                                                      : "interrupted";
          },
          "`complete`, `interrupted` or `failed`.")
      .def_ro("failure", &ParticleReport::failure, "The reason of a failure; empty when complete.")
      .def_ro("t", &ParticleReport::t, "How far the run came.")
      .def_ro("steps", &ParticleReport::steps)
      .def_ro("rows", &ParticleReport::rows)
      .def_ro("frames", &ParticleReport::frames, "Of the trajectory.")
      .def_ro("list_builds", &ParticleReport::list_builds, "How often lists of neighbours were made.")
      .def_ro("checkpoints", &ParticleReport::checkpoints, "How many were written.")
      .def_ro("wall_seconds", &ParticleReport::wall_seconds)
      .def_ro("energy_drift", &ParticleReport::energy_drift,
              "The largest deviation of the total energy from the first row.")
      .def_ro("resumed_at", &ParticleReport::resumed_at, "The time at which a resumed run continued.")
      .def_ro("particles", &ParticleReport::particles, "How many there are.")
      .def("__repr__", [](nb::handle self) {
        const auto& report = nb::cast<const ParticleReport&>(self);
        return fmt::format("<sestina.ParticleReport {}: t = {:g}, {} rows, {} steps>",
                           nb::cast<std::string>(self.attr("status")), report.t, report.rows, report.steps);
      });
}

struct RunArguments {
  std::optional<std::filesystem::path> out;
  int threads = 1;
  std::optional<double> every_wall;
  RunLimits limits;
};

// Runs with a result file, whose rows are read back, or with a table.
template <class Run>
nb::tuple run_with(nb::object progress, const RunArguments& given, ParticleRunOptions options,
                   const Run& run) {
  Watch watch(std::move(progress));
  auto table = std::make_shared<ResultTable>();
  ParticleReport report;
  {
    const nb::gil_scoped_release release;
    options.limits = given.limits;
    if (given.every_wall) options.every_wall = *given.every_wall;
    options.interrupt = watch.interrupt();
    options.on_progress = [&watch](double t, double duration, double wall_seconds, long steps) {
      watch.look(t, duration, wall_seconds, steps);
    };
    Executor executor(given.threads);
    MemoryRecorder rows;
    report = run(options, executor, rows);
    *table = report.result_file.empty() ? rows.table() : read_result(report.result_file);
  }
  watch.rethrow();
  return nb::make_tuple(table, report);
}

nb::tuple run(const std::filesystem::path& file, const std::vector<std::string>& set, nb::object progress,
              const std::optional<std::filesystem::path>& out, int threads,
              const std::optional<std::filesystem::path>& checkpoint, std::optional<double> every_wall,
              std::optional<long> max_steps, std::optional<double> max_wall) {
  if (every_wall && !checkpoint) throw InputError("every_wall: there is no checkpoint to write");
  const RunArguments given{out, threads, every_wall, limits_of(max_steps, max_wall)};
  ParticleRunOptions options{.result_file = out.value_or(""), .checkpoint = checkpoint.value_or("")};
  return run_with(std::move(progress), given, options,
                  [&](const ParticleRunOptions& complete, Executor& executor, Recorder& rows) {
                    read_spec(file, set);  // reports a file that is not a model of particles
                    return run_particles(read_text_file(file, kMostBytes), file.string(), set, complete,
                                         executor, &rows);
                  });
}

nb::tuple resume(const std::filesystem::path& checkpoint, nb::object progress,
                 const std::optional<std::filesystem::path>& out, int threads,
                 std::optional<double> every_wall, std::optional<long> max_steps,
                 std::optional<double> max_wall) {
  const RunArguments given{out, threads, every_wall, limits_of(max_steps, max_wall)};
  ParticleRunOptions options{.result_file = out.value_or("")};
  return run_with(std::move(progress), given, options,
                  [&](const ParticleRunOptions& complete, Executor& executor, Recorder& rows) {
                    return resume_particles(checkpoint, complete, executor, &rows);
                  });
}

}  // namespace

void bind_particles(nb::module_& module) {
  bind_measures(module);
  bind_particle_checkpoint(module);
  bind_particles_class(module);
  bind_particle_report(module);
  module.def(
      "_load_particles",
      [](const std::filesystem::path& file, const std::vector<std::string>& set, int threads) {
        return std::make_unique<Particles>(file, set, threads);
      },
      nb::arg("file"), nb::arg("set"), nb::arg("threads"), nb::call_guard<nb::gil_scoped_release>(),
      nb::sig(
          "def _load_particles(file: str | os.PathLike[str], set: collections.abc.Sequence[str], threads: "
          "int) -> Particles"));
  module.def(
      "_run_particles", run, nb::arg("file"), nb::arg("set"), nb::arg("progress").none(),
      nb::arg("out").none(), nb::arg("threads"), nb::arg("checkpoint").none(), nb::arg("every_wall").none(),
      nb::arg("max_steps").none(), nb::arg("max_wall").none(),
      nb::sig("def _run_particles(file: str | os.PathLike[str], set: collections.abc.Sequence[str], "
              "progress: collections.abc.Callable[[float, float, float, int], object] | None, out: str | "
              "os.PathLike[str] | None, threads: int, checkpoint: str | os.PathLike[str] | None, "
              "every_wall: float | None, max_steps: int | None, max_wall: float | None) -> tuple[Table, "
              "ParticleReport]"));
  module.def("_resume_particles", resume, nb::arg("checkpoint"), nb::arg("progress").none(),
             nb::arg("out").none(), nb::arg("threads"), nb::arg("every_wall").none(),
             nb::arg("max_steps").none(), nb::arg("max_wall").none(),
             nb::sig("def _resume_particles(checkpoint: str | os.PathLike[str], progress: "
                     "collections.abc.Callable[[float, float, float, int], object] | None, out: str | "
                     "os.PathLike[str] | None, threads: int, every_wall: float | None, max_steps: int | "
                     "None, max_wall: float | None) -> tuple[Table, ParticleReport]"));
}

}  // namespace sestina::python
