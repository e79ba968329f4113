#include "nnopbase/state.h"

#include <pthread.h>

#include <atomic>
#include <memory>

#include "ascendcl/strict.h"
#include "nnopbase/strict_launch.h"

namespace aclnn_cpu {
namespace {

constinit std::atomic<NnopState*> current_state{nullptr};
constinit std::atomic<bool> fork_handler_registered{false};

void AbandonStateInChild() { current_state.store(nullptr, std::memory_order_relaxed); }

}  // namespace

NnopState& State() {
  NnopState* state = current_state.load(std::memory_order_acquire);
  if (state != nullptr) return *state;
  auto fresh = std::make_unique<NnopState>();
  if (StrictOn()) StrictAddLeakReporter(ReportNnopLeaks);
  // Before the state can be seen, so that no child keeps it; children inherit the handler.
  if (!fork_handler_registered.exchange(true)) {
    pthread_atfork(nullptr, nullptr, AbandonStateInChild);
  }
  if (current_state.compare_exchange_strong(state, fresh.get(), std::memory_order_acq_rel)) {
    return *fresh.release();
  }
  return *state;
}

}  // namespace aclnn_cpu
