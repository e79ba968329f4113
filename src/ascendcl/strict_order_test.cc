#include "ascendcl/strict_order.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <map>
#include <string>

namespace aclnn_cpu {
namespace {

// A program in terms of the runtime's calls, on one or several blocks of 100 bytes. Every access
// gives "" or what is found.
class Model : public ::testing::Test {
 protected:
  static constexpr ByteRun kAll{0, 100};

  Agent Stream() { return engine_.AddStream(); }

  std::string Write(Agent stream, ByteRun run = kAll) { return Task(stream, run, true); }
  std::string Read(Agent stream, ByteRun run = kAll) { return Task(stream, run, false); }
  std::string HostWrite(ByteRun run = kAll) { return Host(run, true); }
  std::string HostRead(ByteRun run = kAll) { return Host(run, false); }

  std::shared_ptr<OrderPoint> Event() { return std::make_shared<OrderPoint>(); }
  void Record(const std::shared_ptr<OrderPoint>& event, Agent stream) {
    engine_.Record(stream, ++tickets_[stream], event);
    event_marks_[event.get()] = {stream, tickets_[stream]};
  }
  void Wait(Agent stream, const std::shared_ptr<OrderPoint>& event) {
    engine_.Wait(stream, ++tickets_[stream], event);
  }
  void Synchronize(Agent stream) { engine_.HostReaches(stream, tickets_[stream]); }
  void SynchronizeEvent(const std::shared_ptr<OrderPoint>& event) {
    const auto [stream, ticket] = event_marks_[event.get()];
    engine_.HostReaches(stream, ticket);
  }
  void Destroy(Agent stream) {
    engine_.RemoveStream(stream);
    tickets_[stream] = 0;
  }

  OrderEngine engine_;
  MemoryHistory memory_{100, false};
  bool unchecked_ = false;

 private:
  static std::string Describe(const std::optional<Conflict>& conflict) {
    if (!conflict) return "";
    if (conflict->uninitialised) return "uninitialised";
    return std::string(conflict->earlier_is_write ? "write" : "read") + " of " +
           std::to_string(conflict->earlier.agent);
  }

  std::string Task(Agent stream, ByteRun run, bool is_write) {
    engine_.BeginTask(stream, ++tickets_[stream]);
    return Describe(engine_.StreamAccess(stream, memory_, {&run, 1}, is_write, {}, &unchecked_));
  }
  std::string Host(ByteRun run, bool is_write) {
    return Describe(engine_.HostAccess(memory_, {&run, 1}, is_write));
  }

  std::map<Agent, uint64_t> tickets_;
  std::map<const OrderPoint*, std::pair<Agent, uint64_t>> event_marks_;
};

using StrictOrder = Model;

TEST_F(StrictOrder, OneStreamIsInOrder) {
  const Agent s = Stream();
  EXPECT_EQ(HostWrite(), "");
  EXPECT_EQ(Read(s), "");
  EXPECT_EQ(Write(s), "");
  EXPECT_EQ(Write(s), "");
  EXPECT_EQ(Read(s), "");
}

TEST_F(StrictOrder, HostReadWithoutSynchroniseIsFound) {
  const Agent s = Stream();
  EXPECT_EQ(Write(s), "");
  EXPECT_EQ(HostRead(), "write of 1");
}

TEST_F(StrictOrder, HostReadAfterSynchroniseIsOrdered) {
  const Agent s = Stream();
  Write(s);
  Synchronize(s);
  EXPECT_EQ(HostRead(), "");
}

TEST_F(StrictOrder, HostWriteOrFreeWhileAQueuedReadIsOpenIsFound) {
  const Agent s = Stream();
  HostWrite();
  EXPECT_EQ(Read(s), "");
  EXPECT_EQ(HostRead(), "") << "two reads never conflict";
  EXPECT_EQ(HostWrite(), "read of 1");
}

TEST_F(StrictOrder, WorkAfterTheSynchroniseIsNotCovered) {
  const Agent s = Stream();
  Write(s);
  Synchronize(s);
  Write(s);
  EXPECT_EQ(HostRead(), "write of 1");
}

TEST_F(StrictOrder, SynchronisingAnotherStreamDoesNotHelp) {
  const Agent s = Stream();
  const Agent t = Stream();
  Write(s);
  Synchronize(t);
  EXPECT_EQ(HostRead(), "write of 1");
}

TEST_F(StrictOrder, TwoStreamsWithoutAnEventAreFound) {
  const Agent s = Stream();
  const Agent t = Stream();
  Write(s);
  EXPECT_EQ(Read(t), "write of 1");
}

TEST_F(StrictOrder, TwoStreamsMayReadTogether) {
  const Agent s = Stream();
  const Agent t = Stream();
  HostWrite();
  EXPECT_EQ(Read(s), "");
  EXPECT_EQ(Read(t), "");
  EXPECT_EQ(Write(s), "read of 2");
}

TEST_F(StrictOrder, AnEventOrdersTwoStreams) {
  const Agent s = Stream();
  const Agent t = Stream();
  const auto event = Event();
  Write(s);
  Record(event, s);
  Wait(t, event);
  EXPECT_EQ(Read(t), "");
}

TEST_F(StrictOrder, AnEventDoesNotCoverWhatComesAfterItsRecord) {
  const Agent s = Stream();
  const Agent t = Stream();
  const auto event = Event();
  Record(event, s);
  Write(s);
  Wait(t, event);
  EXPECT_EQ(Read(t), "write of 1");
}

TEST_F(StrictOrder, WorkBeforeTheWaitIsNotCovered) {
  const Agent s = Stream();
  const Agent t = Stream();
  const auto event = Event();
  Write(s);
  EXPECT_EQ(Read(t), "write of 1");
  Record(event, s);
  Wait(t, event);
}

TEST_F(StrictOrder, EventsChainOverThreeStreams) {
  const Agent s = Stream();
  const Agent t = Stream();
  const Agent u = Stream();
  const auto first = Event();
  const auto second = Event();
  Write(s);
  Record(first, s);
  Wait(t, first);
  Record(second, t);
  Wait(u, second);
  EXPECT_EQ(Write(u), "");
}

TEST_F(StrictOrder, TheHostLearnsThroughTheStreamThatWaited) {
  const Agent s = Stream();
  const Agent t = Stream();
  const auto event = Event();
  Write(s);
  Record(event, s);
  Wait(t, event);
  EXPECT_EQ(HostRead({0, 1}), "write of 1");
  Write(s, {50, 60});
  Synchronize(t);
  EXPECT_EQ(HostRead({0, 50}), "");
  EXPECT_EQ(HostRead({50, 60}), "write of 1") << "after the record";
}

TEST_F(StrictOrder, SynchroniseEventCoversWhatLiesBeforeItOnly) {
  const Agent s = Stream();
  const auto event = Event();
  Write(s, {0, 10});
  Record(event, s);
  Write(s, {10, 20});
  SynchronizeEvent(event);
  EXPECT_EQ(HostRead({0, 10}), "");
  EXPECT_EQ(HostRead({10, 20}), "write of 1");
}

TEST_F(StrictOrder, TheHostCarriesOrderToOtherStreams) {
  const Agent s = Stream();
  const Agent t = Stream();
  Write(s);
  Synchronize(s);
  EXPECT_EQ(Write(t), "");
}

TEST_F(StrictOrder, AnEventRecordedAgainCoversTheNewWorkForNewWaitsOnly) {
  const Agent s = Stream();
  const Agent t = Stream();
  const auto first = Event();
  const auto again = Event();  // each record is a point of its own
  Write(s, {0, 10});
  Record(first, s);
  Wait(t, first);
  Write(s, {10, 20});
  Record(again, s);
  EXPECT_EQ(Read(t, {0, 10}), "");
  EXPECT_EQ(Read(t, {10, 20}), "write of 1");
}

TEST_F(StrictOrder, AWaitBeforeTheRecordIsNotJudgedUntilThen) {
  const Agent s = Stream();
  const Agent t = Stream();
  const auto event = Event();
  Wait(t, event);
  EXPECT_EQ(Read(t), "");  // runs after the write that comes below
  EXPECT_TRUE(unchecked_);
  EXPECT_EQ(Write(s), "");
  Record(event, s);
  EXPECT_EQ(Read(t), "");
  EXPECT_FALSE(unchecked_);
  EXPECT_EQ(Write(s), "read of 2");
}

TEST_F(StrictOrder, WhoWaitsForAHeldStreamIsHeldToo) {
  const Agent s = Stream();
  const Agent t = Stream();
  const Agent u = Stream();
  const auto promised = Event();
  const auto passed = Event();
  Wait(t, promised);
  Record(passed, t);
  Wait(u, passed);
  EXPECT_EQ(Read(u), "");
  EXPECT_TRUE(unchecked_);
  Write(s);
  Record(promised, s);
  EXPECT_EQ(Read(u), "");
  EXPECT_FALSE(unchecked_);
}

// After aclFinalize has given up a wait, its event may be recorded by a stream behind the wait.
TEST_F(StrictOrder, PointsMayBeOpenForThemselvesAndOneAnother) {
  const Agent s = Stream();
  const Agent t = Stream();
  const auto first = Event();
  const auto second = Event();
  Wait(s, first);
  Wait(s, second);
  Wait(t, first);
  Wait(t, second);
  Record(first, t);
  Record(second, s);
  Write(s);
  Synchronize(s);
  EXPECT_EQ(Read(t), "");
  EXPECT_FALSE(unchecked_);
}

TEST_F(StrictOrder, AnAbandonedWaitGivesNoOrder) {
  const Agent s = Stream();
  const Agent t = Stream();
  const auto event = Event();
  Wait(t, event);
  event->state = OrderPoint::State::kAbandoned;
  Write(s);
  EXPECT_EQ(Read(t), "write of 1");
}

TEST_F(StrictOrder, DestroyingAStreamSynchronisesIt) {
  const Agent s = Stream();
  Write(s);
  Destroy(s);
  EXPECT_EQ(HostRead(), "");
}

TEST_F(StrictOrder, ANewStreamIsNoPartOfTheOldOneInItsPlace) {
  const Agent s = Stream();
  const Agent t = Stream();
  for (int i = 0; i < 10; ++i) Write(s);
  Destroy(s);
  const Agent reused = Stream();
  EXPECT_EQ(reused, s);
  EXPECT_EQ(Read(t), "");
  Synchronize(t);
  EXPECT_EQ(Write(reused), "");
  EXPECT_EQ(Read(t), "write of 1");
}

TEST_F(StrictOrder, NeverWrittenBytesAreUninitialisedOnce) {
  const Agent s = Stream();
  EXPECT_EQ(Write(s, {0, 50}), "");
  EXPECT_EQ(Read(s, {0, 50}), "");
  EXPECT_EQ(Read(s, {40, 60}), "uninitialised");
  EXPECT_EQ(Read(s, {40, 60}), "");
  EXPECT_EQ(Read(s, {60, 61}), "uninitialised");
}

TEST_F(StrictOrder, InterleavedRunsOfTwoStreamsDoNotMeet) {
  const Agent s = Stream();
  const Agent t = Stream();
  const std::array<ByteRun, 3> even = {ByteRun{0, 10}, ByteRun{20, 30}, ByteRun{40, 50}};
  const std::array<ByteRun, 2> odd = {ByteRun{10, 20}, ByteRun{30, 40}};
  engine_.BeginTask(s, 1);
  EXPECT_FALSE(engine_.StreamAccess(s, memory_, even, true, {}, &unchecked_));
  engine_.BeginTask(t, 1);
  EXPECT_FALSE(engine_.StreamAccess(t, memory_, odd, true, {}, &unchecked_));
  const auto conflict = engine_.StreamAccess(t, memory_, {{ByteRun{5, 6}}}, true, {}, &unchecked_);
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->bytes, (ByteRun{5, 6}));
}

TEST_F(StrictOrder, EqualNeighboursAreMerged) {
  const Agent s = Stream();
  for (uint64_t i = 0; i < 100; i += 2) Write(s, {i, i + 1});
  EXPECT_GT(memory_.segment_count(), 50u);
  Write(s);
  EXPECT_EQ(memory_.segment_count(), 1u);
  memory_.Forget({20, 30});
  EXPECT_EQ(memory_.segment_count(), 3u);
}

TEST_F(StrictOrder, MemoryThatOthersFillIsNeverUninitialised) {
  MemoryHistory host_memory(100, true);
  engine_.BeginTask(Stream(), 1);
  EXPECT_FALSE(engine_.StreamAccess(1, host_memory, {{kAll}}, false, {}, &unchecked_));
}

TEST_F(StrictOrder, AWaitThatIsOverOrdersTheHostAfterTheWaitingStreamsEarlierWork) {
  const Agent first = Stream();
  const Agent second = Stream();
  EXPECT_EQ(Write(first, {0, 50}), "");
  EXPECT_EQ(Write(second, {50, 100}), "");
  const auto event = Event();
  Record(event, first);
  Wait(second, event);
  OrderPoint waits;
  engine_.AddWait(second, waits);
  EXPECT_EQ(Write(second, {60, 70}), "");
  engine_.HostReaches(waits);
  EXPECT_EQ(HostRead({0, 60}), "");
  EXPECT_EQ(HostRead({60, 70}), "write of " + std::to_string(second));  // after the wait
}

TEST_F(StrictOrder, AWaitForARecordToComeCountsFromTheRecord) {
  const Agent first = Stream();
  const Agent second = Stream();
  const auto event = Event();
  Wait(second, event);
  OrderPoint waits;
  engine_.AddWait(second, waits);
  EXPECT_EQ(Write(first), "");
  Record(event, first);
  engine_.HostReaches(waits);
  EXPECT_EQ(HostRead(), "");
}

TEST_F(StrictOrder, AWaitOrdersNothingThatTheStreamDidBeforeIt) {
  const Agent first = Stream();
  const Agent second = Stream();
  const auto early = Event();
  const auto mark = Event();
  const auto late = Event();
  Record(early, first);
  Wait(second, early);
  Record(mark, second);
  EXPECT_EQ(Write(first), "");
  Record(late, first);
  Wait(second, late);
  SynchronizeEvent(mark);
  EXPECT_EQ(HostRead(), "write of " + std::to_string(first));
}

TEST_F(StrictOrder, AccessesOfTheHostLeaveNoTrace) {
  for (uint64_t begin = 0; begin < 100; begin += 20) EXPECT_EQ(HostWrite({begin, begin + 10}), "");
  for (uint64_t begin = 30; begin < 100; begin += 20) EXPECT_EQ(HostWrite({begin, begin + 10}), "");
  EXPECT_EQ(HostRead({35, 36}), "");
  EXPECT_EQ(memory_.segment_count(), 3U);  // 10 to 20 is still missing
  EXPECT_EQ(HostWrite({10, 20}), "");
  EXPECT_EQ(memory_.segment_count(), 1U);
}

}  // namespace
}  // namespace aclnn_cpu
