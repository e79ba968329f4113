#ifndef ACLNN_CPU_ASCENDCL_STRICT_ORDER_H_
#define ACLNN_CPU_ASCENDCL_STRICT_ORDER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ascendcl/strict_history.h"

namespace aclnn_cpu {

// Which access comes before which, as far as the program has ordered them: by streams, events and
// waits, never by what happened to run first. All threads of the host are one agent, because how
// they synchronise with one another cannot be seen. Not thread-safe.

// A component per agent: how far of that agent's work lies before.
class VectorClock {
 public:
  uint64_t Of(Agent agent) const { return agent < times_.size() ? times_[agent] : 0; }
  void RaiseTo(Agent agent, uint64_t time);
  void Join(const VectorClock& other);

 private:
  std::vector<uint64_t> times_;
};

// One aclrtRecordEvent, perhaps still to come: a stream may wait for an event before its record.
struct OrderPoint {
  enum class State { kPromised, kRecorded, kAbandoned };
  State state = State::kPromised;
  VectorClock clock;  // of the stream, once recorded
  // What the recording stream was waiting for that was itself not recorded yet.
  std::vector<std::shared_ptr<OrderPoint>> open;
};

class OrderEngine {
 public:
  OrderEngine();

  // Tasks of a stream are numbered from 1 by its tickets.
  Agent AddStream();
  // Everything on the stream is done and the host knows it.
  void RemoveStream(Agent stream);

  // The host puts task `ticket` on the stream.
  void BeginTask(Agent stream, uint64_t ticket);
  // aclrtRecordEvent and aclrtStreamWaitEvent.
  void Record(Agent stream, uint64_t ticket, const std::shared_ptr<OrderPoint>& point);
  void Wait(Agent stream, uint64_t ticket, const std::shared_ptr<OrderPoint>& point);
  // Adds the stream's last Wait() to `waits`, which stands for all waits for one event.
  void AddWait(Agent stream, OrderPoint& waits);
  // The host has waited for the stream up to `ticket`, or has seen that it got there.
  void HostReaches(Agent stream, uint64_t ticket);
  // The host has seen that what the point stands for has happened.
  void HostReaches(OrderPoint& point);

  // An access of the task begun last on the stream. A stream that waits for an event that is not
  // recorded yet cannot be judged: then nothing is found, and `*unchecked` is set.
  std::optional<Conflict> StreamAccess(Agent stream, MemoryHistory& history,
                                       std::span<const ByteRun> runs, bool is_write,
                                       const AccessNames& names, bool* unchecked);
  // Whatever comes later is ordered after an access of the host, so that no trace of it remains.
  std::optional<Conflict> HostAccess(MemoryHistory& history, std::span<const ByteRun> runs,
                                     bool is_write);

 private:
  struct Checkpoint {
    uint64_t time;
    VectorClock clock;
  };
  struct OpenWait {
    std::shared_ptr<OrderPoint> point;
    uint64_t time;  // of the stream
  };
  struct StreamState {
    VectorClock clock;
    uint64_t base = 0;  // times start above those of the stream that had this agent before
    std::vector<Checkpoint> waits;  // the clock after each wait that the host has not passed
    std::vector<OpenWait> open;
  };

  static std::vector<std::shared_ptr<OrderPoint>> PointsOf(const std::vector<OpenWait>& waits);
  void Settle(StreamState& stream);

  VectorClock host_;
  std::vector<StreamState> streams_;  // by agent; [kHostAgent] is unused
  std::vector<Agent> free_agents_;
};

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_ASCENDCL_STRICT_ORDER_H_
