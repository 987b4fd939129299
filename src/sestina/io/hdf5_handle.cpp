#include "sestina/io/hdf5_handle.h"

#include <string_view>

namespace sestina {
namespace {

// Finds the text of the operating system's error in the messages of the stack, else the innermost message.
herr_t visit_message(unsigned, const H5E_error2_t* entry, void* result) {
  const std::string_view message = entry->desc ? entry->desc : "";
  auto& reason = *static_cast<std::string*>(result);
  constexpr std::string_view kMark = "error message = '";
  const std::size_t start = message.find(kMark);
  if (start == std::string_view::npos) {
    if (reason.empty()) reason = message;
    return 0;
  }
  const std::string_view rest = message.substr(start + kMark.size());
  reason = rest.substr(0, rest.find('\''));
  return 1;  // look no further
}

void check_is_inside(hid_t place, const std::string& name) {
  if (name.find('/') != std::string::npos) throw Hdf5Error("'" + name + "' is a path, which is not followed");
  if (H5Lexists(place, name.c_str(), H5P_DEFAULT) == 0) throw Hdf5Error("it has no '" + name + "'");
  H5L_info_t link{};
  checked(H5Lget_info(place, name.c_str(), &link, H5P_DEFAULT));
  if (link.type != H5L_TYPE_HARD) throw Hdf5Error("'" + name + "' is a link, which is not followed");
}

hsize_t size_of_file(hid_t object_of_file) {
  const Hdf5File file(H5Iget_file_id(object_of_file));
  hsize_t bytes = 0;
  checked(H5Fget_filesize(file.get(), &bytes));
  return bytes;
}

}  // namespace

Hdf5Silence::Hdf5Silence() {
  H5Eget_auto2(H5E_DEFAULT, &printer_, &printer_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Silence::~Hdf5Silence() { H5Eset_auto2(H5E_DEFAULT, printer_, printer_data_); }

std::string hdf5_reason() {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, visit_message, &reason);  // from the innermost call
  return reason.empty() ? "unknown HDF5 error" : reason;
}

Hdf5Type hdf5_text_type(std::size_t bytes) {
  Hdf5Type type(H5Tcopy(H5T_C_S1));
  checked(H5Tset_size(type.get(), bytes));
  checked(H5Tset_cset(type.get(), H5T_CSET_UTF8));
  if (bytes != H5T_VARIABLE) checked(H5Tset_strpad(type.get(), H5T_STR_NULLPAD));
  return type;
}

Hdf5Properties hdf5_dataset_properties() {
  Hdf5Properties properties(H5Pcreate(H5P_DATASET_CREATE));
  checked(H5Pset_obj_track_times(properties.get(), false));
  return properties;
}

std::uint64_t hdf5_object_address(hid_t object) {
#if H5_VERSION_GE(1, 12, 0)
  H5O_info1_t info;
#else
  H5O_info_t info;
#endif
  checked(H5Oget_info2(object, &info, H5O_INFO_BASIC));
  return info.addr;
}

Hdf5Dataset open_dataset(hid_t place, const std::string& name) {
  check_is_inside(place, name);
  Hdf5Dataset dataset(H5Dopen2(place, name.c_str(), H5P_DEFAULT));
  const Hdf5Properties properties(H5Dget_create_plist(dataset.get()));
  const H5D_layout_t layout = H5Pget_layout(properties.get());
  const bool is_elsewhere =
      checked(layout) == H5D_VIRTUAL || checked(H5Pget_external_count(properties.get())) > 0;
  if (is_elsewhere) throw Hdf5Error("the numbers of '" + name + "' are in another file, which is not read");
  // The library would request as much memory as the header states, for at least one element.
  const hsize_t file_bytes = size_of_file(dataset.get());
  const Hdf5Type type(H5Dget_type(dataset.get()));
  const bool is_too_large = layout == H5D_CONTIGUOUS && H5Dget_storage_size(dataset.get()) > file_bytes;
  if (is_too_large || H5Tget_size(type.get()) > file_bytes) {
    throw Hdf5Error("the numbers of '" + name + "' take more room than the file has: it is damaged");
  }
  return dataset;
}

Hdf5Group open_group(hid_t place, const std::string& name) {
  check_is_inside(place, name);
  return Hdf5Group(H5Gopen2(place, name.c_str(), H5P_DEFAULT));
}

std::size_t count_elements(hid_t object_of_file, hid_t space, std::size_t bytes_each) {
  constexpr std::uint64_t kMostOfAByte = 1100;  // bytes that deflate can make of one; 1032 at most
  const auto count = static_cast<std::uint64_t>(checked(H5Sget_simple_extent_npoints(space)));
  const hsize_t file_bytes = size_of_file(object_of_file);
  if (bytes_each > 0 && count > kMostOfAByte * file_bytes / bytes_each) {
    throw Hdf5Error("it claims " + std::to_string(count) + " elements of " + std::to_string(bytes_each) +
                    " bytes, more than a file of " + std::to_string(file_bytes) + " bytes can hold");
  }
  return count;
}

Hdf5File open_to_read(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    throw Hdf5Error("it is not a regular file");
  }
  const Hdf5Properties access(H5Pcreate(H5P_FILE_ACCESS));
  // A file system without locks is accepted.
  checked(H5Pset_file_locking(access.get(), true, true));
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get());
  if (file >= 0) return Hdf5File(file);
  const std::string reason = hdf5_reason();
  // Earlier versions wrote results in SWMR mode, whose marks a killed run could leave. Disables repeated
  // reads after a checksum error: the library would sleep between them, each time twice as long.
  checked(H5Pset_metadata_read_attempts(access.get(), 1));
  const hid_t marked = H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access.get());
  if (marked < 0) throw Hdf5Error(reason);
  return Hdf5File(marked);
}

}  // namespace sestina
