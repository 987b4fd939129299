#include "sestina/expression/instruction_order.h"

#include <numeric>
#include <utility>

#include "sestina/expression/multiply_add.h"
#include "sestina/expression/scratch_memory.h"

namespace sestina {
namespace {

using Instruction = CompiledProgram::Instruction;

bool is_store(const Instruction& i) {
  return i.code == CompiledProgram::Code::kStore || i.code == CompiledProgram::Code::kStoreUniform;
}

class Orderer {
 public:
  Orderer(std::span<Instruction> code, std::uint32_t value_count)
      : code_(code),
        maker_(value_count, 0, &memory_),
        users_left_(value_count, 0, &memory_),
        users_sum_(value_count, 0, &memory_),
        operands_missing_(code_.size(), 0, &memory_),
        state_(code_.size(), kUnseen, &memory_) {}

  std::vector<Instruction> run(bool is_fused) {
    find_needed();
    if (is_fused) join_products_with_sums();
    find_users();
    ordered_.reserve(code_.size());
    for (const std::uint32_t store : stores_) emit_with_operands(store);
    return std::move(ordered_);
  }

 private:
  static constexpr std::uint8_t kUnseen = 0, kNeeded = 1, kDone = 2;

  std::uint32_t index_of(const Instruction& i) const { return static_cast<std::uint32_t>(&i - code_.data()); }

  // Also counts the uses of each value.
  void find_needed() {
    for (std::uint32_t k = 0; k < code_.size(); ++k) {
      CompiledProgram::visit_results(code_[k], [&](std::uint32_t v) { maker_[v] = k; });
      if (is_store(code_[k])) stores_.push_back(k);
    }
    pending_ = stores_;
    for (const std::uint32_t store : stores_) state_[store] = kNeeded;
    while (!pending_.empty()) {
      const std::uint32_t k = pending_.back();
      pending_.pop_back();
      CompiledProgram::visit_operands(code_[k], [&](std::uint32_t v) {
        ++users_left_[v];
        if (std::exchange(state_[maker_[v]], kNeeded) == kUnseen) pending_.push_back(maker_[v]);
      });
    }
  }

  // The sum then uses the operands of the product, as often as the product did.
  void join_products_with_sums() {
    const auto product = [&](std::uint32_t v) { return users_left_[v] == 1 ? &code_[maker_[v]] : nullptr; };
    for (std::uint32_t k = 0; k < code_.size(); ++k) {
      if (state_[k] != kNeeded) continue;
      const Instruction* const joined = join_with_product(code_[k], product);
      if (joined == nullptr) continue;
      state_[index_of(*joined)] = kUnseen;
      users_left_[joined->to] = 0;
    }
  }

  // users_[first_user_[v], first_user_[v + 1]) use the value v, twice if both operands are the same.
  void find_users() {
    first_user_.resize(users_left_.size() + 1, 0);
    std::partial_sum(users_left_.begin(), users_left_.end(), first_user_.begin() + 1);
    users_.resize(first_user_.back());
    ScratchVector<std::uint32_t> next(first_user_.begin(), first_user_.end() - 1, &memory_);
    for (std::uint32_t k = 0; k < code_.size(); ++k) {
      if (state_[k] != kNeeded) continue;
      CompiledProgram::visit_operands(code_[k], [&](std::uint32_t v) {
        users_[next[v]++] = k;
        users_sum_[v] += k;
        ++operands_missing_[k];
      });
    }
  }

  void emit_with_operands(std::uint32_t wanted) {
    pending_.assign(1, wanted);
    while (!pending_.empty()) {
      const std::uint32_t k = pending_.back();
      const std::size_t before = pending_.size();
      if (state_[k] == kNeeded) {
        CompiledProgram::visit_operands(code_[k], [&](std::uint32_t v) {
          if (state_[maker_[v]] == kNeeded) pending_.push_back(maker_[v]);
        });
        if (pending_.size() != before) continue;
        emit_with_followers(k);
      }
      pending_.pop_back();
    }
  }

  void emit_with_followers(std::uint32_t first) {
    emit(first);
    while (!candidates_.empty()) {
      const std::uint32_t k = candidates_.back();
      candidates_.pop_back();
      if (state_[k] == kNeeded && operands_missing_[k] == 0 && takes_no_room(k)) emit(k);
    }
  }

  bool takes_no_room(std::uint32_t k) const {
    bool is_last_use = is_store(code_[k]);
    CompiledProgram::visit_operands(code_[k], [&](std::uint32_t v) { is_last_use |= users_left_[v] == 1; });
    return is_last_use;
  }

  void emit(std::uint32_t k) {
    state_[k] = kDone;
    ordered_.push_back(code_[k]);
    CompiledProgram::visit_operands(code_[k], [&](std::uint32_t v) {
      users_sum_[v] -= k;
      if (--users_left_[v] == 1) candidates_.push_back(users_sum_[v]);  // the remaining user
    });
    CompiledProgram::visit_results(code_[k], [&](std::uint32_t v) {
      for (std::uint32_t u = first_user_[v]; u < first_user_[v + 1]; ++u) {
        if (--operands_missing_[users_[u]] == 0) candidates_.push_back(users_[u]);
      }
    });
  }

  std::span<Instruction> code_;
  ScratchMemory memory_;
  ScratchVector<std::uint32_t> maker_, users_left_;  // by value
  ScratchVector<std::uint32_t> users_sum_;           // by value: sum of the indices of the remaining users
  ScratchVector<std::uint32_t> first_user_{&memory_}, users_{&memory_};
  ScratchVector<std::uint8_t> operands_missing_, state_;  // by instruction
  ScratchVector<std::uint32_t> stores_{&memory_}, pending_{&memory_}, candidates_{&memory_};
  std::vector<Instruction> ordered_;
};

}  // namespace

std::vector<Instruction> order_for_few_values(std::span<Instruction> code, std::uint32_t value_count,
                                              bool is_fused) {
  return Orderer(code, value_count).run(is_fused);
}

}  // namespace sestina
