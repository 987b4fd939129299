#include "sestina/io/hdf5_result_file.h"

#include "sestina/io/hdf5_text.h"

namespace sestina {
namespace {

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
  header.model_name = read_attribute(file, "model_name");
  header.model_text = read_attribute(file, "model");
  header.provenance = read_provenance(file);
  header.columns = read_columns(file);
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
