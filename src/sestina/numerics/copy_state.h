// Copies a state of plain numbers to one of another scalar.
#pragma once

#include "sestina/numerics/state.h"

namespace sestina {

// Copies t, q, u, x, d and h of `from` to `to`, without derivatives. Does not allocate if the sizes agree.
template <class T>
void copy_state(const State<double>& from, State<T>& to) {
  to.t = from.t;
  to.q.assign(from.q.begin(), from.q.end());
  to.u.assign(from.u.begin(), from.u.end());
  to.x.assign(from.x.begin(), from.x.end());
  to.d.assign(from.d.begin(), from.d.end());
  to.h.assign(from.h.begin(), from.h.end());
}

}  // namespace sestina
