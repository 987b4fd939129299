// The C interface of HDF5 with owning handles and exceptions.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

namespace sestina {

// A failed call of the library; the message is the reason that it gave, such as "No space left on device".
class Hdf5Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Prevents the library from printing to stderr during its lifetime.
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

// Returns the reason of the last failure: the operating system's message, or else the innermost message.
std::string hdf5_reason();

// Returns the result of a library call; throws Hdf5Error if it is a failure.
template <class Result>
Result checked(Result result) {
  if (result < 0) throw Hdf5Error(hdf5_reason());
  return result;
}

// Owns an identifier of any kind and releases it with the function for that kind.
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

// Type of UTF-8 text: of so many bytes, padded with zeros, or of any length.
Hdf5Type hdf5_text_type(std::size_t bytes = H5T_VARIABLE);

// For reading files that may be damaged or made by others. They reject everything that leads to another file:
// links, external storage and virtual datasets. `name` is a member of `place`.
Hdf5Dataset open_dataset(hid_t place, const std::string& name);
Hdf5Group open_group(hid_t place, const std::string& name);
// Returns the number of elements of a dataspace; throws if the file is too small for them.
std::size_t count_elements(hid_t object_of_file, hid_t space, std::size_t bytes_each);
// Opens for reading, without waiting for a writer.
Hdf5File open_to_read(const std::filesystem::path& path);

// Returns the address of the header of an open object in its file.
std::uint64_t hdf5_object_address(hid_t object);

// Properties of new datasets, without the time of day, so that equal contents are equal bytes.
Hdf5Properties hdf5_dataset_properties();

}  // namespace sestina
