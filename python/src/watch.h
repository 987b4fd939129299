// Checks periodically whether Python requests the end of a run or a sweep: by Ctrl-C, which keeps the rows so
// far, or by an exception of the progress callback, which is passed to the caller.
//
// Progress may come from any thread; Python checks for Ctrl-C only on its main thread, and does so here
// whenever that thread calls.
#pragma once

#include <atomic>
#include <exception>

#include "bind.h"

namespace sestina::python {

class Watch {
 public:
  explicit Watch(nb::object progress) : progress_(std::move(progress)) {}

  const std::atomic<bool>* interrupt() const { return &is_interrupted_; }
  // The arguments of the callback, if there is one.
  template <class... Numbers>
  void look(Numbers... numbers) {
    const nb::gil_scoped_acquire acquire;
    if (error_) return;
    try {
      if (PyErr_CheckSignals() < 0) nb::raise_python_error();
      if (!progress_.is_none()) progress_(numbers...);
    } catch (nb::python_error& error) {
      is_interrupted_ = true;
      if (!error.matches(PyExc_KeyboardInterrupt)) error_ = std::make_exception_ptr(error);
    }
  }
  // An exception of work() ends the run and is passed to the caller.
  template <class Work>
  void guard(Work&& work) {
    try {
      work();
    } catch (...) {
      is_interrupted_ = true;
      if (!error_) error_ = std::current_exception();
    }
  }
  // RuntimeWarning, which may be an exception; nothing for an empty text.
  void warn(const std::string& text) {
    if (text.empty()) return;
    guard([&] {
      const nb::gil_scoped_acquire acquire;
      if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) < 0) nb::raise_python_error();
    });
  }
  // For a thread that waits while others work: checks only for Ctrl-C.
  void look_for_signals() {
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() >= 0) return;
    nb::python_error error;
    is_interrupted_ = true;
    if (!error.matches(PyExc_KeyboardInterrupt) && !error_) error_ = std::make_exception_ptr(error);
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  nb::object progress_;
  std::atomic<bool> is_interrupted_{false};
  std::exception_ptr error_;
};

}  // namespace sestina::python
