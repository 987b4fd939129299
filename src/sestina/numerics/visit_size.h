// Calls code for blocks of a size that is known at compile time.
#pragma once

namespace sestina {

// Calls f.template operator()<size>() for a size from 1 to 6.
template <class F>
decltype(auto) visit_size(int size, F&& f) {
  switch (size) {
    case 1:
      return f.template operator()<1>();
    case 2:
      return f.template operator()<2>();
    case 3:
      return f.template operator()<3>();
    case 4:
      return f.template operator()<4>();
    case 5:
      return f.template operator()<5>();
    default:
      return f.template operator()<6>();
  }
}

}  // namespace sestina
