// sestina structure MODEL [-o PREFIX] [--trajectory FILE] [--from T] [--to T] [--every N]
//                   [--set PATH=VALUE]...
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "commands.h"
#include "printing.h"
#include "sestina/base/error.h"
#include "sestina/io/file_uses.h"
#include "sestina/io/result_file.h"
#include "sestina/io/result_recorder.h"
#include "sestina/particle_run/particle_file.h"
#include "sestina/particle_run/trajectory_reader.h"
#include "sestina/particles/structure.h"

namespace sestina::cli {
namespace {

struct StructureCommand {
  std::string model, out, trajectory;
  std::vector<std::string> set;
  std::optional<double> from, to;
  int every = 1;
  StructureOptions structure;
};

struct NamedTable {
  const char* name;
  const StructureTable& table;
};

std::vector<NamedTable> tables_of(const StructureResult& result) {
  std::vector<NamedTable> tables{{"displacement", result.displacements}, {"radial", result.radial}};
  if (result.molecules > 0) {
    tables.push_back({"bond", result.bonds});
    tables.push_back({"angle", result.angles});
    tables.push_back({"size", result.sizes});
  }
  return tables;
}

std::string file_of(const std::string& prefix, const char* table) {
  return fmt::format("{}-{}.csv", prefix, table);
}

void write_table(const std::string& file, const StructureTable& table, const std::string& model_name) {
  const std::unique_ptr<Recorder> recorder = make_recorder(file);
  ResultHeader header;
  for (const std::string& name : table.names) header.columns.push_back({name, ""});
  header.model_name = model_name;
  recorder->begin(header);
  std::vector<double> row(table.names.size());
  for (std::size_t i = 0; i < table.columns.front().size(); ++i) {
    for (std::size_t c = 0; c < row.size(); ++c) row[c] = table.columns[c][i];
    recorder->record(row);
  }
  recorder->end();
}

std::filesystem::path find_trajectory(const StructureCommand& options, const ParticleRunSpec& spec) {
  if (!options.trajectory.empty()) return options.trajectory;
  if (!spec.trajectory) {
    throw InputError(options.model + ": particles.trajectory is missing: give --trajectory FILE");
  }
  return spec.trajectory_file(options.model);
}

StructureResult analyse(const StructureCommand& options, const ParticleRunSpec& spec,
                        const std::filesystem::path& file) {
  const std::string suffix = file.extension().string();
  if (suffix != ".h5" && suffix != ".h5md") {
    throw InputError(
        fmt::format("{}: the structure is read from H5MD (.h5, .h5md); this is not", file.string()));
  }
  TrajectoryReader reader(file, spec.model.size(), spec.model.box);
  StructureAnalysis analysis(spec.model, options.structure);
  std::vector<double> position;
  Box box = spec.model.box;
  int skipped = 0;
  for (std::size_t i = 0; i < reader.frames(); ++i) {
    const double t = reader.time_of(i);
    if ((options.from && t < *options.from) || (options.to && t > *options.to)) continue;
    if (skipped++ % options.every != 0) continue;
    reader.read(i, position, box);
    analysis.add(t, position, box);
  }
  try {
    return analysis.finish();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", file.string(), error.what()));
  }
}

void print_summary(const StructureResult& result) {
  print("{} particles, {} molecules, {} of them chains; {} frames from t = {:.6g} to {:.6g}\n",
        result.particles, result.molecules, result.chains, result.frames, result.t_first, result.t_last);
  const auto row = [](const char* name, const EstimatedMean& mean) {
    print("  {:<32} {:>10.6g} +- {:.2g}\n", name, mean.value, mean.error);
  };
  if (result.molecules > 0) row("bond length", result.bond_length);
  if (result.chains > 0) row("<R^2>, end to end", result.end_to_end_square);
  if (result.molecules > 0) row("<Rg^2>, radius of gyration", result.gyration_square);
  if (result.chains > 0) {
    print("  {:<32} {:>10.4g}\n", "<R^2>/<Rg^2>",
          result.end_to_end_square.value / result.gyration_square.value);
  }
  print("  {:<32} {:>10.4g}\n", result.molecules > 0 ? "diffusion of molecules" : "diffusion of particles",
        result.diffusion);
}

void run_structure(const StructureCommand& options) {
  const ModelTree tree = read_model_tree(options.model, {options.set});
  if (!has_particles(tree)) {
    throw InputError(options.model + ": has no particles: their structure is what this command is for");
  }
  const ParticleRunSpec spec = read_particle_run(tree);
  const std::filesystem::path trajectory = find_trajectory(options, spec);
  FileUses files;
  files.add_input("the model", options.model);
  files.add_input("the trajectory", trajectory);
  if (!options.out.empty()) {
    for (const char* name : {"displacement", "radial", "bond", "angle", "size"}) {
      files.add_output("the table", file_of(options.out, name));
    }
  }
  files.check();
  const StructureResult result = analyse(options, spec, trajectory);
  print_summary(result);
  if (options.out.empty()) return;
  for (const NamedTable& one : tables_of(result)) {
    const std::string file = file_of(options.out, one.name);
    write_table(file, one.table, spec.name);
    std::string over;
    for (std::size_t c = 1; c < one.table.names.size(); ++c) over += (c > 1 ? ", " : "") + one.table.names[c];
    print("{}: {} over {}\n", file, over, one.table.names.front());
  }
}

}  // namespace

void add_structure(CLI::App& app, int& status) {
  auto options = std::make_shared<StructureCommand>();
  CLI::App* command = app.add_subcommand("structure", "Measure a trajectory of particles");
  command->add_option("MODEL", options->model, "Model file with particles")->required()->type_name("FILE");
  command
      ->add_option("-o,--out", options->out,
                   "Write tables PREFIX-displacement.csv, -radial, -bond, -angle and -size")
      ->type_name("PREFIX")
      ->check(check_file_name);
  command->add_option("--trajectory", options->trajectory, "H5MD file (.h5); else that of the model")
      ->type_name("FILE")
      ->check(check_file_name);
  command->add_option("--from", options->from, "Leave out frames before this time")->type_name("T");
  command->add_option("--to", options->to, "Leave out frames after this time")->type_name("T");
  command->add_option("--every", options->every, "Take one of so many frames")
      ->check(CLI::Range(1, 1'000'000'000).description(""))
      ->type_name("N");
  command
      ->add_option("--reach", options->structure.reach,
                   "Largest distance of the radial distribution; else half of the box")
      ->check(CLI::PositiveNumber.description(""))
      ->type_name("R");
  command->add_option("--set", options->set, "Replace a key of the model")->type_name("PATH=VALUE");
  command->callback([options, &status] {
    run_structure(*options);
    status = kSuccess;
  });
}

}  // namespace sestina::cli
