// sestina schema: the JSON Schema of model files, for editors.
#include <fmt/format.h>

#include "commands.h"
#include "printing.h"
#include "sestina/io/schema.h"

namespace sestina::cli {

void add_schema(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("schema", "Print the JSON Schema of model files");
  command->callback([&status] {
    print("{}\n", model_schema());
    status = kSuccess;
  });
}

}  // namespace sestina::cli
