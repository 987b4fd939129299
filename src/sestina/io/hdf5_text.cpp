#include "sestina/io/hdf5_text.h"

#include <algorithm>
#include <string_view>

namespace sestina {
namespace {

// Strings that the library allocated and frees.
class Hdf5Strings {
 public:
  Hdf5Strings(hid_t type, hid_t space, std::size_t count) : type_(type), space_(space), pointers_(count) {}
  Hdf5Strings(const Hdf5Strings&) = delete;
  Hdf5Strings& operator=(const Hdf5Strings&) = delete;
  ~Hdf5Strings() { H5Dvlen_reclaim(type_, space_, H5P_DEFAULT, pointers_.data()); }

  void* data() { return pointers_.data(); }
  std::vector<std::string> texts() const {
    std::vector<std::string> result;
    for (const char* pointer : pointers_) result.emplace_back(pointer != nullptr ? pointer : "");
    return result;
  }

 private:
  hid_t type_;
  hid_t space_;
  std::vector<char*> pointers_;
};

std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return pointers;
}

Hdf5Space list_space(std::size_t size) {
  const hsize_t extent = size;
  return Hdf5Space(H5Screate_simple(1, &extent, nullptr));
}

void write_attribute(hid_t object, const std::string& name, hid_t type, const Hdf5Space& space,
                     const void* value) {
  const Hdf5Attribute attribute(
      H5Acreate2(object, name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT));
  checked(H5Awrite(attribute.get(), type, value));
}

// Texts of equal lengths, padded with zeros.
std::vector<std::string> split_texts(const std::string& bytes, std::size_t length) {
  std::vector<std::string> texts;
  for (std::size_t begin = 0; begin < bytes.size(); begin += length) {
    const std::string_view text = std::string_view(bytes).substr(begin, length);
    texts.emplace_back(text.substr(0, text.find('\0')));
  }
  return texts;
}

}  // namespace

void write_attribute(hid_t object, const std::string& name, int value) {
  write_attribute(object, name, H5T_NATIVE_INT, Hdf5Space(H5Screate(H5S_SCALAR)), &value);
}

void write_attribute(hid_t object, const std::string& name, const std::string& text) {
  const char* pointer = text.c_str();
  write_attribute(object, name, hdf5_text_type().get(), Hdf5Space(H5Screate(H5S_SCALAR)), &pointer);
}

void write_attribute(hid_t object, const std::string& name, const std::vector<std::string>& texts) {
  write_attribute(object, name, hdf5_text_type().get(), list_space(texts.size()), pointers_to(texts).data());
}

void write_fixed_attribute(hid_t object, const std::string& name, const std::string& text) {
  write_attribute(object, name, hdf5_text_type(text.size()).get(), Hdf5Space(H5Screate(H5S_SCALAR)),
                  text.data());
}

std::vector<std::string> read_list_attribute(hid_t object, const std::string& name) {
  const Hdf5Attribute attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT));
  const Hdf5Space space(H5Aget_space(attribute.get()));
  const Hdf5Type stored(H5Aget_type(attribute.get()));
  if (H5Tget_class(stored.get()) == H5T_STRING && checked(H5Tis_variable_str(stored.get())) == 0) {
    const std::size_t length = H5Tget_size(stored.get());
    std::string bytes(count_elements(object, space.get(), length) * length, '\0');
    checked(H5Aread(attribute.get(), stored.get(), bytes.data()));
    return split_texts(bytes, length);
  }
  const Hdf5Type type = hdf5_text_type();
  Hdf5Strings strings(type.get(), space.get(), count_elements(object, space.get(), sizeof(char*)));
  checked(H5Aread(attribute.get(), type.get(), strings.data()));
  return strings.texts();
}

std::uint64_t read_number_attribute(hid_t object, const std::string& name) {
  if (H5Aexists(object, name.c_str()) == 0) throw Hdf5Error("it has no attribute '" + name + "'");
  const Hdf5Attribute attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT));
  const Hdf5Space space(H5Aget_space(attribute.get()));
  if (count_elements(object, space.get(), sizeof(std::uint64_t)) != 1) {
    throw Hdf5Error("'" + name + "' is not one number");
  }
  std::uint64_t value = 0;
  checked(H5Aread(attribute.get(), H5T_NATIVE_UINT64, &value));
  return value;
}

std::string read_attribute(hid_t object, const std::string& name) {
  const std::vector<std::string> texts = read_list_attribute(object, name);
  return texts.size() == 1 ? texts.front() : "";
}

void write_strings(hid_t place, const std::string& name, const std::vector<std::string>& strings) {
  std::size_t length = 1;
  for (const std::string& text : strings) length = std::max(length, text.size());
  std::string bytes(length * strings.size(), '\0');
  for (std::size_t i = 0; i < strings.size(); ++i) strings[i].copy(&bytes[i * length], length);
  const Hdf5Type type = hdf5_text_type(length);
  const Hdf5Space space = list_space(strings.size());
  const Hdf5Properties properties = hdf5_dataset_properties();
  const Hdf5Dataset dataset(
      H5Dcreate2(place, name.c_str(), type.get(), space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT));
  checked(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()));
}

std::vector<std::string> read_strings(hid_t place, const std::string& name) {
  const Hdf5Dataset dataset = open_dataset(place, name);
  const Hdf5Space space(H5Dget_space(dataset.get()));
  const Hdf5Type stored(H5Dget_type(dataset.get()));
  if (H5Tget_class(stored.get()) != H5T_STRING) throw Hdf5Error("'" + name + "' is not a list of texts");
  if (checked(H5Tis_variable_str(stored.get())) > 0) {
    const Hdf5Type type = hdf5_text_type();
    Hdf5Strings strings(type.get(), space.get(), count_elements(place, space.get(), sizeof(char*)));
    checked(H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, strings.data()));
    return strings.texts();
  }
  const std::size_t length = H5Tget_size(stored.get());
  const std::size_t count = count_elements(place, space.get(), length);
  std::string bytes(count * length, '\0');
  checked(H5Dread(dataset.get(), stored.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()));
  return split_texts(bytes, length);
}

void write_columns(hid_t file, const std::vector<Column>& columns) {
  std::vector<std::string> names;
  std::vector<std::string> units;
  for (const Column& column : columns) {
    names.push_back(column.name);
    units.push_back(column.unit);
  }
  write_strings(file, "names", names);
  write_strings(file, "units", units);
}

std::vector<Column> read_columns(hid_t file) {
  const std::vector<std::string> names = read_strings(file, "names");
  const std::vector<std::string> units = read_strings(file, "units");
  if (names.empty() || names.size() != units.size()) throw Hdf5Error("'names' and 'units' differ in length");
  std::vector<Column> columns;
  for (std::size_t i = 0; i < names.size(); ++i) columns.push_back({names[i], units[i]});
  return columns;
}

void write_provenance(hid_t file, const Provenance& provenance) {
  const Hdf5Properties ordered(H5Pcreate(H5P_GROUP_CREATE));
  checked(H5Pset_attr_creation_order(ordered.get(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
  checked(H5Pset_obj_track_times(ordered.get(), false));
  const Hdf5Group group(H5Gcreate2(file, "provenance", H5P_DEFAULT, ordered.get(), H5P_DEFAULT));
  for (const auto& [key, value] : provenance) write_attribute(group.get(), key, value);
}

Provenance read_provenance(hid_t file) {
  const Hdf5Group group = open_group(file, "provenance");
  std::vector<std::string> keys;
  const auto add_key = [](hid_t, const char* name, const H5A_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->push_back(name);
    return 0;
  };
  checked(H5Aiterate2(group.get(), H5_INDEX_CRT_ORDER, H5_ITER_INC, nullptr, add_key, &keys));
  Provenance provenance;
  for (const std::string& key : keys) provenance.emplace_back(key, read_attribute(group.get(), key));
  return provenance;
}

}  // namespace sestina
