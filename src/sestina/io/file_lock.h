// Locks that prevent two processes from writing the same file. The kernel releases them when the descriptor
// is closed, even if the process is killed.
#pragma once

#include <string>

namespace sestina {

// Locks the open file for this descriptor until it is closed. Returns false if another descriptor, of this or
// another process, holds the lock; true if the file system has no locks.
//
// The lock belongs to the open file description (F_OFD_SETLK of Linux): it is independent of the locks by
// which HDF5 separates readers and writers, and is not lost when the process closes another descriptor.
bool lock_file(int file_descriptor);

// Describes the holder of the lock: "process 4711 (sestina)", or "another process" if it is not known.
std::string describe_lock_holder(int file_descriptor);

}  // namespace sestina
