#include "report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace peers {
namespace {

std::string column_name(const Measurement& m) { return m.engine + " " + m.method; }

std::string format(const char* pattern, double x) {
  if (std::isnan(x)) return "-";
  char text[40];
  std::snprintf(text, sizeof text, pattern, x);
  return text;
}

}  // namespace

const char* to_string(Kernel kernel) {
  switch (kernel) {
    case Kernel::kForwardDynamics:
      return "forward dynamics";
    case Kernel::kInverseDynamics:
      return "inverse dynamics";
    case Kernel::kDerivatives:
      return "derivatives of forward dynamics";
    case Kernel::kMassMatrix:
      return "mass matrix";
    case Kernel::kKinematics:
      return "kinematics";
    case Kernel::kManyForward:
      return "forward dynamics of many states";
    case Kernel::kManyInverse:
      break;
  }
  return "inverse dynamics of many states";
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

void print_table(Kernel kernel, const std::vector<Comparison>& comparisons) {
  std::vector<std::string> columns;
  for (const Comparison& comparison : comparisons) {
    if (comparison.kernel != kernel) continue;
    for (const Measurement& m : comparison.measurements) {
      if (std::find(columns.begin(), columns.end(), column_name(m)) == columns.end()) {
        columns.push_back(column_name(m));
      }
    }
  }
  if (columns.empty()) return;
  std::printf("\n%s\n%-20s %5s %6s %8s %6s", to_string(kernel), "mechanism", "nu", "ratio", "(minima)",
              "error");
  for (const std::string& column : columns) std::printf("  %22s", column.c_str());
  std::printf("\n");
  for (const Comparison& comparison : comparisons) {
    if (comparison.kernel != kernel) continue;
    double error = 0.0;
    for (const Measurement& m : comparison.measurements) {
      if (!(m.error <= error)) error = m.error;
    }
    std::printf("%-20s %5d %6s %8s %6s", comparison.mechanism.c_str(), comparison.nu,
                format("%.2f", comparison.ratio()).c_str(),
                format("(%.2f)", comparison.ratio_of_minima()).c_str(), format("%.0e", error).c_str());
    for (const std::string& column : columns) {
      const auto m = std::find_if(comparison.measurements.begin(), comparison.measurements.end(),
                                  [&](const Measurement& x) { return column_name(x) == column; });
      if (m == comparison.measurements.end()) {
        std::printf("  %22s", "-");
      } else {
        std::printf(" %c%10s (%9s)", comparison.is_wrong(*m) ? '!' : ' ',
                    format("%.4g", 1e6 * m->median).c_str(), format("%.4g", 1e6 * m->minimum).c_str());
      }
    }
    std::printf("\n");
  }
  std::fflush(stdout);
}

void print_disagreements(const std::vector<Comparison>& comparisons) {
  for (const Comparison& comparison : comparisons) {
    for (const Measurement& m : comparison.measurements) {
      if (!comparison.is_wrong(m)) continue;
      std::printf("%s, %s: %s differs from ours by %.1e, more than %.0e%s\n", comparison.mechanism.c_str(),
                  to_string(comparison.kernel), column_name(m).c_str(), m.error, comparison.tolerance,
                  comparison.ours() && comparison.is_confirmed() ? "; the others agree with ours" : "");
    }
  }
}

void write_csv(const std::string& path, const Provenance& provenance,
               const std::vector<Comparison>& comparisons) {
  std::ofstream csv(path);
  for (const auto& [name, value] : provenance) csv << "# " << name << ": " << value << '\n';
  csv << "kernel,mechanism,links,nu,engine,method,median_us,minimum_us,ratio_to_sestina,relative_error\n";
  for (const Comparison& comparison : comparisons) {
    const Measurement* ours = comparison.ours();
    for (const Measurement& m : comparison.measurements) {
      csv << to_string(comparison.kernel) << ',' << comparison.mechanism << ',' << comparison.links << ','
          << comparison.nu << ',' << m.engine << ",\"" << m.method << "\"," << 1e6 * m.median << ','
          << 1e6 * m.minimum << ',';
      csv << (ours ? format("%.4g", m.median / ours->median) : "") << ',' << format("%.2e", m.error);
      csv << '\n';
    }
  }
  csv.flush();
  if (!csv) throw std::runtime_error(path + " cannot be written");
}

}  // namespace peers
