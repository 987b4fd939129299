// The plugin: `plugin load sestinaplugin.so` in a LAMMPS with the package PLUGIN. Packages of LAMMPS leave
// out lammpsplugin.h, so its structure stands here as LAMMPS defines it.
#include "register_fix.h"

namespace {

struct PluginEntry {
  const char *version, *style, *name, *info, *author;
  union {
    void* (*v1)(void*);
    void* (*v2)(void*, int, char**);
  } creator;
  void* handle;
};

using Register = void (*)(PluginEntry*, void*);

}  // namespace

extern "C" void lammpsplugin_init(void* lammps, void* handle, void* function) {
  PluginEntry entry{};
  entry.version = SESTINA_LAMMPS_VERSION;
  entry.style = "fix";
  entry.name = "sestina";
  entry.info = "articulated bodies with all joints";
  entry.author = "the authors of Sestina";
  entry.creator.v2 = reinterpret_cast<void* (*)(void*, int, char**)>(&sestina::lammps::make_fix);
  entry.handle = handle;
  reinterpret_cast<Register>(function)(&entry, lammps);
}
