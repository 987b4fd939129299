#include "fixed.h"

namespace sestina::python {

nb::object fixed_tuple(nb::handle elements, const char* hint) {
  return nb::module_::import_("sestina.fixed").attr("FixedTuple")(elements, hint);
}

}  // namespace sestina::python
