#include "sestina/io/hdf5_handle.h"

#include <string_view>

namespace sestina {
namespace {

// Finds the text of the operating system's error in any message of the stack, and keeps the innermost one.
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

Hdf5Type hdf5_text_type() {
  Hdf5Type type(H5Tcopy(H5T_C_S1));
  checked(H5Tset_size(type.get(), H5T_VARIABLE));
  checked(H5Tset_cset(type.get(), H5T_CSET_UTF8));
  return type;
}

Hdf5Properties hdf5_dataset_properties() {
  Hdf5Properties properties(H5Pcreate(H5P_DATASET_CREATE));
  checked(H5Pset_obj_track_times(properties.get(), false));
  return properties;
}

}  // namespace sestina
