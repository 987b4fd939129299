// Texts in HDF5 files: attributes, lists, the columns and the provenance of results. All functions throw
// Hdf5Error.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sestina/io/hdf5_handle.h"
#include "sestina/io/result.h"

namespace sestina {

using Provenance = std::vector<std::pair<std::string, std::string>>;

void write_attribute(hid_t object, const std::string& name, int value);
void write_attribute(hid_t object, const std::string& name, const std::string& text);
void write_attribute(hid_t object, const std::string& name, const std::vector<std::string>& texts);
// A text of fixed length. Others are stored in a heap of the file; if that is damaged, HDF5 1.10
// may crash.
void write_fixed_attribute(hid_t object, const std::string& name, const std::string& text);
std::uint64_t read_number_attribute(hid_t object, const std::string& name);
std::string read_attribute(hid_t object, const std::string& name);
std::vector<std::string> read_list_attribute(hid_t object, const std::string& name);

// One-dimensional datasets of texts with equal lengths, padded with zeros. Texts of variable length, which
// earlier versions wrote, can be read too.
void write_strings(hid_t place, const std::string& name, const std::vector<std::string>& strings);
std::vector<std::string> read_strings(hid_t place, const std::string& name);

// The datasets `names` and `units`.
void write_columns(hid_t file, const std::vector<Column>& columns);
std::vector<Column> read_columns(hid_t file);

// The attributes of the group `provenance`, in their order.
void write_provenance(hid_t file, const Provenance& provenance);
Provenance read_provenance(hid_t file);

}  // namespace sestina
