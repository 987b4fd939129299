// Reads results with the HDF5 library alone, as another program would.
#pragma once

#include <gtest/gtest.h>
#include <hdf5.h>

#include <filesystem>
#include <vector>

namespace sestina::test {

// All of the dataset `values`, by rows.
inline std::vector<double> read_values_by_hdf5(const std::filesystem::path& path) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t dataset = file < 0 ? -1 : H5Dopen2(file, "values", H5P_DEFAULT);
  EXPECT_GE(dataset, 0) << path;
  if (dataset < 0) return {};
  const hid_t space = H5Dget_space(dataset);
  std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  EXPECT_GE(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  H5Sclose(space);
  H5Dclose(dataset);
  H5Fclose(file);
  return values;
}

}  // namespace sestina::test
