#include "sestina/parallel/communicator.h"

namespace sestina {

std::string agree_on_failure(Communicator& ranks, std::string failure) {
  // The largest of size - rank belongs to the first rank with a failure.
  double first = failure.empty() ? 0.0 : ranks.size() - ranks.rank();
  ranks.take_largest({&first, 1});
  if (first == 0.0) return {};
  ranks.broadcast(failure, ranks.size() - static_cast<int>(first));
  return failure;
}

}  // namespace sestina
