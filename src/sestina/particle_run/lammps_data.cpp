#include "sestina/particle_run/lammps_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <string_view>

#include "sestina/base/error.h"

namespace sestina {
namespace {

using Words = std::vector<std::string_view>;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

class DataReader {
 public:
  DataReader(const std::string& text, const std::string& name)
      : file_(std::make_shared<const std::string>(name)), text_(text) {}

  LammpsData read() {
    next_line();  // the title
    while (next_words()) {
      if (skips_coefficients_ && is_digit(words_.front().front())) continue;
      skips_coefficients_ = false;
      if (!read_header() && !read_section()) fail(fmt::format("unknown section '{}'", line_text_));
    }
    finish();
    return std::move(data_);
  }

 private:
  [[noreturn]] void fail(std::string message) const {
    throw InputError({Fault{{{file_, line_, 1}, ""}, std::move(message)}});
  }

  bool next_line() {
    if (text_.empty()) return false;
    ++line_;
    const std::size_t end = std::min(text_.find('\n'), text_.size());
    line_text_ = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    return true;
  }

  // Reads the words of the next line that is not empty; `comment_` gets the text after a '#'.
  bool next_words() {
    while (next_line()) {
      const std::size_t mark = line_text_.find('#');
      comment_ = mark == std::string_view::npos ? std::string_view() : line_text_.substr(mark + 1);
      std::string_view rest = line_text_.substr(0, mark);
      words_.clear();
      constexpr std::string_view kBlank = " \t\r";
      while (true) {
        const std::size_t begin = rest.find_first_not_of(kBlank);
        if (begin == std::string_view::npos) break;
        const std::size_t end = std::min(rest.find_first_of(kBlank, begin), rest.size());
        words_.push_back(rest.substr(begin, end - begin));
        rest.remove_prefix(end);
      }
      if (!words_.empty()) return true;
    }
    return false;
  }

  template <class Number>
  Number number(std::size_t i) const {
    if (i >= words_.size()) fail(fmt::format("the line has {} numbers; expected more", words_.size()));
    Number value{};
    const auto [end, error] = std::from_chars(words_[i].data(), words_[i].data() + words_[i].size(), value);
    if (error != std::errc() || end != words_[i].data() + words_[i].size()) {
      fail(fmt::format("'{}' is not a number", words_[i]));
    }
    return value;
  }

  std::string tail(std::size_t from) const {
    std::string text;
    for (std::size_t i = from; i < words_.size(); ++i) text.append(i > from ? " " : "").append(words_[i]);
    return text;
  }

  bool read_header() {
    for (int a = 0; a < 3; ++a) {
      if (tail(2) != fmt::format("{0}lo {0}hi", "xyz"[a])) continue;
      data_.box.lower[a] = number<double>(0);
      data_.box.length[a] = number<double>(1) - number<double>(0);
      return true;
    }
    if (tail(3) == "xy xz yz") {
      for (std::size_t i = 0; i < 3; ++i) {
        if (number<double>(i) != 0.0) fail("the box is tilted; this program has boxes along the axes alone");
      }
      return true;
    }
    if (words_.size() > 1 && words_[1] == "extra" && tail(1).ends_with(" per atom")) return true;
    for (const char* name : {"atoms", "bonds", "angles", "dihedrals", "impropers", "atom types", "bond types",
                             "angle types", "dihedral types", "improper types"}) {
      if (words_.size() < 2 || tail(1) != name) continue;
      counts_[name] = number<int>(0);
      if (counts_[name] < 0) fail(fmt::format("{} is negative", counts_[name]));
      return true;
    }
    return false;
  }

  bool read_section() {
    const std::string name = tail(0);
    if (name == "Masses") return read_masses(), true;
    if (name == "Atoms") return read_atoms(), true;
    if (name == "Velocities") return read_velocities(), true;
    if (name == "Bonds") return read_groups(2, "bonds", data_.bonds), true;
    if (name == "Angles") return read_groups(3, "angles", data_.angles), true;
    if (name == "Dihedrals") return read_groups(4, "dihedrals", data_.dihedrals), true;
    skips_coefficients_ = words_.size() == 2 && words_.back() == "Coeffs";
    return skips_coefficients_;
  }

  void want_line(const char* what) {
    if (!next_words()) fail(fmt::format("the file ends within the section {}", what));
  }

  void read_masses() {
    data_.masses.assign(static_cast<std::size_t>(counts_["atom types"]), 0.0);
    for (int k = 0; k < counts_["atom types"]; ++k) {
      want_line("Masses");
      double& mass = data_.masses[index(0, "atom types")];
      mass = number<double>(1);
      if (!(mass > 0.0)) fail(fmt::format("the mass {} is not positive", mass));
    }
  }

  // Reads a number from 1 to a count, and returns it counted from 0.
  std::size_t index(std::size_t word, const char* count) {
    const int i = number<int>(word);
    if (i < 1 || i > counts_[count])
      fail(fmt::format("{} is not one of the {} {}", i, counts_[count], count));
    return static_cast<std::size_t>(i - 1);
  }

  struct Atom {
    int id = 0, type = 0, molecule = 0;
    double charge = 0.0, x[3] = {}, v[3] = {};
  };

  void read_atoms() {
    std::string style(comment_);
    style.erase(std::remove(style.begin(), style.end(), ' '), style.end());
    style.erase(std::remove(style.begin(), style.end(), '\r'), style.end());
    const bool has_molecule = style == "bond" || style == "angle" || style == "molecular" || style == "full";
    has_charge_ = style == "full" || style == "charge";
    if (!has_molecule && !has_charge_ && style != "atomic") {
      fail(fmt::format(
          "'Atoms # {}' is not a style that this program reads; allowed: atomic, bond, angle, molecular, "
          "charge or full, behind a #",
          style));
    }
    has_molecule_ = has_molecule;
    for (int k = 0; k < counts_["atoms"]; ++k) {
      want_line("Atoms");
      Atom& atom = atoms_.emplace_back();
      std::size_t next = 0;
      atom.id = number<int>(next++);
      if (has_molecule) atom.molecule = number<int>(next++);
      atom.type = static_cast<int>(index(next++, "atom types"));
      if (has_charge_) atom.charge = number<double>(next++);
      for (double& x : atom.x) x = number<double>(next++);
      if (words_.size() >= next + 3) {
        for (int a = 0; a < 3; ++a) atom.x[a] += number<int>(next++) * data_.box.length[a];
      }
    }
    std::sort(atoms_.begin(), atoms_.end(), [](const Atom& a, const Atom& b) { return a.id < b.id; });
    for (std::size_t i = 0; i < atoms_.size(); ++i) {
      if (!places_.emplace(atoms_[i].id, static_cast<int>(i)).second) {
        fail(fmt::format("the atom {} stands there twice", atoms_[i].id));
      }
    }
  }

  int place_of(std::size_t word) const {
    const auto found = places_.find(number<int>(word));
    if (found == places_.end())
      fail(fmt::format("there is no atom {} (sections follow Atoms)", words_[word]));
    return found->second;
  }

  void read_velocities() {
    has_velocity_ = true;
    for (int k = 0; k < counts_["atoms"]; ++k) {
      want_line("Velocities");
      Atom& atom = atoms_[static_cast<std::size_t>(place_of(0))];
      for (int a = 0; a < 3; ++a) atom.v[a] = number<double>(1 + static_cast<std::size_t>(a));
    }
  }

  void read_groups(int size, const char* name, std::vector<LammpsData::Group>& groups) {
    const std::string types = std::string(name).substr(0, std::string_view(name).size() - 1) + " types";
    for (int k = 0; k < counts_[name]; ++k) {
      want_line(name);
      LammpsData::Group& group = groups.emplace_back();
      group.type = static_cast<int>(index(1, types.c_str()));
      for (int i = 0; i < size; ++i) group.atoms[i] = place_of(2 + static_cast<std::size_t>(i));
    }
  }

  void finish() {
    if (atoms_.empty()) fail("the file has no atoms");
    for (const Atom& atom : atoms_) {
      data_.position.insert(data_.position.end(), std::begin(atom.x), std::end(atom.x));
      if (has_velocity_) data_.velocity.insert(data_.velocity.end(), std::begin(atom.v), std::end(atom.v));
      if (has_charge_) data_.charge.push_back(atom.charge);
      if (has_molecule_) data_.molecule.push_back(atom.molecule);
      data_.type.push_back(atom.type);
    }
    data_.atom_types = counts_["atom types"];
  }

  std::shared_ptr<const std::string> file_;
  std::string_view text_, line_text_, comment_;
  Words words_;
  int line_ = 0;
  std::map<std::string, int> counts_;
  std::vector<Atom> atoms_;
  std::map<int, int> places_;
  bool has_molecule_ = false, has_charge_ = false, has_velocity_ = false;
  bool skips_coefficients_ = false;  // in a section whose data come from the model file
  LammpsData data_;
};

}  // namespace

LammpsData parse_lammps_data(const std::string& text, const std::string& name) {
  return DataReader(text, name).read();
}

}  // namespace sestina
