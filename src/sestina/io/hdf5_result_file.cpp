#include "sestina/io/hdf5_result_file.h"

#include <vector>

namespace sestina {
namespace {

// Strings that the library allocated, given back to it.
class Hdf5Strings {
 public:
  Hdf5Strings(hid_t type, hid_t space) : type_(type), space_(space) {
    const hssize_t size = checked(H5Sget_simple_extent_npoints(space));
    pointers_.resize(static_cast<std::size_t>(size));
  }
  Hdf5Strings(const Hdf5Strings&) = delete;
  Hdf5Strings& operator=(const Hdf5Strings&) = delete;
  ~Hdf5Strings() { H5Dvlen_reclaim(type_, space_, H5P_DEFAULT, pointers_.data()); }

  void* data() { return pointers_.data(); }
  std::size_t size() const { return pointers_.size(); }
  std::string operator[](std::size_t i) const { return pointers_[i] ? pointers_[i] : ""; }

 private:
  hid_t type_;
  hid_t space_;
  std::vector<char*> pointers_;
};

std::string read_text(hid_t object, const char* name) {
  const Hdf5Attribute attribute(H5Aopen(object, name, H5P_DEFAULT));
  const Hdf5Type type = hdf5_text_type();
  const Hdf5Space space(H5Aget_space(attribute.get()));
  Hdf5Strings strings(type.get(), space.get());
  checked(H5Aread(attribute.get(), type.get(), strings.data()));
  return strings.size() == 1 ? strings[0] : "";
}

std::vector<std::string> read_strings(hid_t file, const char* name) {
  const Hdf5Dataset dataset(H5Dopen2(file, name, H5P_DEFAULT));
  const Hdf5Type type = hdf5_text_type();
  const Hdf5Space space(H5Dget_space(dataset.get()));
  Hdf5Strings strings(type.get(), space.get());
  checked(H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, strings.data()));
  std::vector<std::string> result;
  for (std::size_t i = 0; i < strings.size(); ++i) result.push_back(strings[i]);
  return result;
}

std::vector<std::pair<std::string, std::string>> read_provenance(hid_t file) {
  const Hdf5Group group(H5Gopen2(file, "provenance", H5P_DEFAULT));
  std::vector<std::string> keys;
  const auto add_key = [](hid_t, const char* name, const H5A_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->push_back(name);
    return 0;
  };
  checked(H5Aiterate2(group.get(), H5_INDEX_CRT_ORDER, H5_ITER_INC, nullptr, add_key, &keys));
  std::vector<std::pair<std::string, std::string>> provenance;
  for (const std::string& key : keys) provenance.emplace_back(key, read_text(group.get(), key.c_str()));
  return provenance;
}

// As a reader of a file that may still be written; else (an older kind of file) as a plain one.
Hdf5File open_file(const std::filesystem::path& path) {
  const Hdf5Properties access(H5Pcreate(H5P_FILE_ACCESS));
  checked(H5Pset_file_locking(access.get(), true, true));
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access.get());
  if (file >= 0) return Hdf5File(file);
  return Hdf5File(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()));
}

ResultHeader read_header(hid_t file) {
  if (H5Aexists(file, "sestina_result") <= 0) throw Hdf5Error("it is HDF5 but no result of sestina");
  ResultHeader header;
  header.model_name = read_text(file, "model_name");
  header.model_text = read_text(file, "model");
  header.provenance = read_provenance(file);
  std::vector<std::string> names = read_strings(file, "names");
  std::vector<std::string> units = read_strings(file, "units");
  if (names.empty() || names.size() != units.size()) throw Hdf5Error("'names' and 'units' differ in length");
  for (std::size_t i = 0; i < names.size(); ++i) header.columns.push_back({names[i], units[i]});
  return header;
}

std::size_t count_rows(hid_t dataset, std::size_t columns) {
  const Hdf5Space space(H5Dget_space(dataset));
  hsize_t size[2] = {0, 0};
  if (H5Sget_simple_extent_ndims(space.get()) != 2) throw Hdf5Error("'values' is not a matrix");
  checked(H5Sget_simple_extent_dims(space.get(), size, nullptr));
  if (size[1] != columns) throw Hdf5Error("'values' and 'names' differ in the number of columns");
  return size[0];
}

}  // namespace

Hdf5ResultFile::Hdf5ResultFile(const std::filesystem::path& path)
    : file_(open_file(path)),
      header_(read_header(file_.get())),
      values_(H5Dopen2(file_.get(), "values", H5P_DEFAULT)),
      rows_(count_rows(values_.get(), header_.columns.size())) {}

void Hdf5ResultFile::read_rows(std::size_t first, std::span<double> values) const {
  if (values.empty()) return;
  const hsize_t start[2] = {first, 0};
  const hsize_t count[2] = {values.size() / header_.columns.size(), header_.columns.size()};
  const Hdf5Space in_memory(H5Screate_simple(2, count, nullptr));
  const Hdf5Space in_file(H5Dget_space(values_.get()));
  checked(H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, start, nullptr, count, nullptr));
  checked(
      H5Dread(values_.get(), H5T_NATIVE_DOUBLE, in_memory.get(), in_file.get(), H5P_DEFAULT, values.data()));
}

}  // namespace sestina
