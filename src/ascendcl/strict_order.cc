#include "ascendcl/strict_order.h"

#include <algorithm>
#include <utility>

namespace aclnn_cpu {
namespace {

using Points = std::vector<std::shared_ptr<OrderPoint>>;

void AddPoints(Points& points, const Points& more) {
  for (const std::shared_ptr<OrderPoint>& point : more) {
    if (std::find(points.begin(), points.end(), point) == points.end()) points.push_back(point);
  }
}

// Once nothing is to come any more of what a recorded point was open for, its clock takes all of
// that in. Points that are open for one another let go of each other by this.
void Resolve(OrderPoint& point) {
  Points reached = point.open;
  for (size_t i = 0; i < reached.size(); ++i) {
    if (reached[i]->state == OrderPoint::State::kPromised) return;
    AddPoints(reached, Points(reached[i]->open));
  }
  for (const std::shared_ptr<OrderPoint>& other : reached) point.clock.Join(other->clock);
  point.open.clear();
}

auto OrderedBefore(const VectorClock& clock) {
  return [&clock](const Epoch& earlier) { return earlier.time <= clock.Of(earlier.agent); };
}

}  // namespace

void VectorClock::RaiseTo(Agent agent, uint64_t time) {
  if (agent >= times_.size()) times_.resize(agent + 1);
  times_[agent] = std::max(times_[agent], time);
}

void VectorClock::Join(const VectorClock& other) {
  if (other.times_.size() > times_.size()) times_.resize(other.times_.size());
  for (size_t i = 0; i < other.times_.size(); ++i) times_[i] = std::max(times_[i], other.times_[i]);
}

OrderEngine::OrderEngine() : streams_(kHostAgent + 1) {}

Agent OrderEngine::AddStream() {
  if (!free_agents_.empty()) {
    const Agent agent = free_agents_.back();
    free_agents_.pop_back();
    return agent;
  }
  streams_.emplace_back();
  return static_cast<Agent>(streams_.size() - 1);
}

void OrderEngine::RemoveStream(Agent agent) {
  StreamState& stream = streams_[agent];
  Settle(stream);
  host_.Join(stream.clock);
  // Whoever gets the agent next comes after all of this.
  stream.base = stream.clock.Of(agent);
  stream.waits.clear();
  stream.open.clear();
  free_agents_.push_back(agent);
}

void OrderEngine::BeginTask(Agent agent, uint64_t ticket) {
  StreamState& stream = streams_[agent];
  Settle(stream);
  stream.clock.Join(host_);
  stream.clock.RaiseTo(agent, stream.base + ticket);
}

void OrderEngine::Record(Agent agent, uint64_t ticket, const std::shared_ptr<OrderPoint>& point) {
  BeginTask(agent, ticket);
  point->state = OrderPoint::State::kRecorded;
  point->clock = streams_[agent].clock;
  point->open = PointsOf(streams_[agent].open);
  Resolve(*point);
}

void OrderEngine::Wait(Agent agent, uint64_t ticket, const std::shared_ptr<OrderPoint>& point) {
  BeginTask(agent, ticket);
  StreamState& stream = streams_[agent];
  const uint64_t time = stream.base + ticket;
  stream.open.push_back({point, time});
  Settle(stream);
  // What the host has passed it need not be told any more.
  const uint64_t passed = host_.Of(agent);
  std::erase_if(stream.waits, [&](const Checkpoint& wait) { return wait.time <= passed; });
  stream.waits.push_back({time, stream.clock});
}

Points OrderEngine::PointsOf(const std::vector<OpenWait>& waits) {
  Points points;
  for (const OpenWait& wait : waits) AddPoints(points, {wait.point});
  return points;
}

void OrderEngine::AddWait(Agent agent, OrderPoint& waits) {
  const StreamState& stream = streams_[agent];
  waits.state = OrderPoint::State::kRecorded;
  Resolve(waits);
  waits.clock.Join(stream.clock);
  AddPoints(waits.open, PointsOf(stream.open));
}

// Takes in the points that have been recorded meanwhile, also for the waits after the one for them.
void OrderEngine::Settle(StreamState& stream) {
  std::vector<OpenWait> taken;  // points may be open for one another, and for themselves
  const auto is_over = [](const OpenWait& wait) {
    return wait.point->state != OrderPoint::State::kPromised;
  };
  for (;;) {
    const auto over = std::find_if(stream.open.begin(), stream.open.end(), is_over);
    if (over == stream.open.end()) return;
    const auto [point, time] = *over;
    stream.open.erase(over);
    taken.push_back({point, time});
    Resolve(*point);
    stream.clock.Join(point->clock);
    for (Checkpoint& checkpoint : stream.waits) {
      if (checkpoint.time >= time) checkpoint.clock.Join(point->clock);
    }
    for (const std::shared_ptr<OrderPoint>& next : point->open) {
      const bool known = std::any_of(taken.begin(), taken.end(), [&](const OpenWait& wait) {
        return wait.point == next && wait.time <= time;
      });
      if (!known) stream.open.push_back({next, time});
    }
  }
}

void OrderEngine::HostReaches(Agent agent, uint64_t ticket) {
  StreamState& stream = streams_[agent];
  Settle(stream);
  const uint64_t time = stream.base + ticket;
  host_.RaiseTo(agent, std::min(time, stream.clock.Of(agent)));
  auto next = stream.waits.begin();
  for (; next != stream.waits.end() && next->time <= time; ++next) host_.Join(next->clock);
  stream.waits.erase(stream.waits.begin(), next);
}

void OrderEngine::HostReaches(OrderPoint& point) {
  Resolve(point);
  host_.Join(point.clock);
}

std::optional<Conflict> OrderEngine::StreamAccess(Agent agent, MemoryHistory& history,
                                                  std::span<const ByteRun> runs, bool is_write,
                                                  const AccessNames& names, bool* unchecked) {
  const StreamState& stream = streams_[agent];
  *unchecked = !stream.open.empty();
  if (*unchecked) {
    if (is_write) {
      for (const ByteRun& run : runs) history.Forget(run);
    }
    return std::nullopt;
  }
  const Epoch epoch{agent, stream.clock.Of(agent), names};
  return history.Access(runs, is_write, epoch, OrderedBefore(stream.clock), OrderedBefore(host_));
}

std::optional<Conflict> OrderEngine::HostAccess(MemoryHistory& history,
                                                std::span<const ByteRun> runs, bool is_write) {
  return history.Access(runs, is_write, Epoch{}, OrderedBefore(host_), OrderedBefore(host_));
}

}  // namespace aclnn_cpu
