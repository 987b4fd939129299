// HDF5's C interface with owners and exceptions.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

namespace sestina {

// A call of the library that failed; the message is the reason it gave, such as "No space left on device".
class Hdf5Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// While one lives, the library prints nothing to stderr.
class Hdf5Silence {
 public:
  Hdf5Silence();
  Hdf5Silence(const Hdf5Silence&) = delete;
  Hdf5Silence& operator=(const Hdf5Silence&) = delete;
  ~Hdf5Silence();

 private:
  H5E_auto2_t printer_ = nullptr;
  void* printer_data_ = nullptr;
};

// The reason of the last failure: what the operating system said, or else the innermost message.
std::string hdf5_reason();

// Passes the result of a library call on; throws Hdf5Error when it says failure.
template <class Result>
Result checked(Result result) {
  if (result < 0) throw Hdf5Error(hdf5_reason());
  return result;
}

// Owns an identifier of any kind and gives it back with the function for that kind.
template <herr_t (*close_function)(hid_t)>
class Hdf5Handle {
 public:
  Hdf5Handle() = default;
  explicit Hdf5Handle(hid_t id) : id_(checked(id)) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Hdf5Handle() {
    if (id_ >= 0) close_function(id_);
  }

  hid_t get() const { return id_; }
  bool is_open() const { return id_ >= 0; }
  void close() {
    if (id_ >= 0) checked(close_function(std::exchange(id_, -1)));
  }

 private:
  hid_t id_ = -1;
};

using Hdf5File = Hdf5Handle<H5Fclose>;
using Hdf5Group = Hdf5Handle<H5Gclose>;
using Hdf5Dataset = Hdf5Handle<H5Dclose>;
using Hdf5Attribute = Hdf5Handle<H5Aclose>;
using Hdf5Space = Hdf5Handle<H5Sclose>;
using Hdf5Type = Hdf5Handle<H5Tclose>;
using Hdf5Properties = Hdf5Handle<H5Pclose>;

// UTF-8 text: of so many bytes, filled up with zeros, or of any length.
Hdf5Type hdf5_text_type(std::size_t bytes = H5T_VARIABLE);

// To read files that may be damaged, or made by others. They refuse what leads to another file: links,
// external storage and virtual datasets. `name` is a member of `place`.
Hdf5Dataset open_dataset(hid_t place, const std::string& name);
Hdf5Group open_group(hid_t place, const std::string& name);
// The number of elements of a dataspace, refused where so many of so many bytes cannot come out of the file.
std::size_t count_elements(hid_t object_of_file, hid_t space, std::size_t bytes_each);
// For reading: no reader waits for a writer.
Hdf5File open_to_read(const std::filesystem::path& path);

// Where the header of an open object begins in its file.
std::uint64_t hdf5_object_address(hid_t object);

// For new datasets: without the time of day, so that equal contents are equal bytes.
Hdf5Properties hdf5_dataset_properties();

}  // namespace sestina
