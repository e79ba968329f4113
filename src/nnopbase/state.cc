#include "nnopbase/state.h"

#include <pthread.h>

#include <atomic>
#include <memory>

namespace aclnn_cpu {
namespace {

constinit std::atomic<NnopState*> current_state{nullptr};

void AbandonStateInChild() { current_state.store(nullptr, std::memory_order_relaxed); }

}  // namespace

NnopState& State() {
  NnopState* state = current_state.load(std::memory_order_acquire);
  if (state != nullptr) return *state;
  auto fresh = std::make_unique<NnopState>();
  if (current_state.compare_exchange_strong(state, fresh.get(), std::memory_order_acq_rel)) {
    // Registered again by a child that uses the layer; resetting twice does no harm.
    pthread_atfork(nullptr, nullptr, AbandonStateInChild);
    return *fresh.release();
  }
  return *state;
}

}  // namespace aclnn_cpu
