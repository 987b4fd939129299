// Locks that keep two processes from writing one file. The kernel releases them when the descriptor is
// closed, also by a kill.
#pragma once

#include <string>

namespace sestina {

// Locks the open file for this descriptor until it is closed. Returns false where another descriptor, of this
// or of another process, has it. A file system without locks is no reason to refuse: then true.
//
// The lock is one of Linux' open file descriptions (F_OFD_SETLK): of another kind than those by which HDF5
// keeps readers and writers apart, and not lost when the process closes another descriptor of the same file.
bool lock_file(int file_descriptor);

// Who has the lock of the open file: "process 4711 (sestina)", or "another process" where that cannot be
// known.
std::string describe_lock_holder(int file_descriptor);

}  // namespace sestina
