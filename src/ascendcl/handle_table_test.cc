#include "ascendcl/handle_table.h"

#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <random>
#include <set>

namespace aclnn_cpu {
namespace {

TEST(HandleTable, FindsWhatWasInsertedAndNothingElse) {
  HandleTable<int> table(HandleKind::kStream);
  void* const one = table.Insert(std::make_shared<int>(1));
  void* const two = table.Insert(std::make_shared<int>(2));
  EXPECT_EQ(*table.Find(one), 1);
  EXPECT_EQ(*table.Find(two), 2);
  int on_the_stack = 0;
  EXPECT_EQ(table.Find(nullptr), nullptr);
  EXPECT_EQ(table.Find(&on_the_stack), nullptr);
}

TEST(HandleTable, RemovedHandleStaysUnknownForEver) {
  HandleTable<int> table(HandleKind::kEvent);
  std::set<void*> seen;
  for (int i = 0; i < 1000; ++i) {
    void* const handle = table.Insert(std::make_shared<int>(i));
    EXPECT_TRUE(seen.insert(handle).second) << "handle was used before";
    EXPECT_EQ(*table.Remove(handle), i);
    EXPECT_EQ(table.Find(handle), nullptr);
    EXPECT_EQ(table.Remove(handle), nullptr);
  }
}

TEST(HandleTable, HandlesAreNoAddresses) {
  // User space of x86-64 and AArch64 ends far below bit 62.
  for (HandleKind kind :
       {HandleKind::kContext, HandleKind::kStream, HandleKind::kEvent, HandleKind::kExecutor})
    EXPECT_NE(reinterpret_cast<uintptr_t>(NewHandle(kind)) & (uintptr_t{1} << 62), 0u);
}

TEST(HandleTable, RemoveIfTakesOutExactlyTheUnwanted) {
  HandleTable<int> table(HandleKind::kStream);
  std::vector<void*> handles;
  for (int i = 0; i < 10; ++i) handles.push_back(table.Insert(std::make_shared<int>(i)));
  const auto removed = table.RemoveIf([](const int& value) { return value % 2 == 0; });
  EXPECT_EQ(removed.size(), 5u);
  for (const auto& value : removed) EXPECT_EQ(*value % 2, 0);
  EXPECT_EQ(table.All().size(), 5u);
  for (size_t i = 0; i < handles.size(); ++i)
    EXPECT_EQ(table.Find(handles[i]) != nullptr, i % 2 == 1);
}

// Against a map: handles collide, move up when others go, and the table grows.
TEST(HandleTable, KeepsWhatAMapWouldKeep) {
  HandleTable<int> table(HandleKind::kExecutor);
  std::map<void*, int> want;
  std::mt19937 random(1);
  for (int step = 0; step < 5000; ++step) {
    // Numbers of other tables in between, so that the low bits of the live ones collide.
    for (unsigned i = random() % 40; i > 0; --i) NewHandle(HandleKind::kEvent);
    want[table.Insert(std::make_shared<int>(step))] = step;
    while (want.size() > random() % 100) {
      const auto victim = std::next(want.begin(), random() % want.size());
      ASSERT_EQ(*table.Remove(victim->first), victim->second);
      ASSERT_EQ(table.Find(victim->first), nullptr);
      want.erase(victim);
    }
    for (const auto& [handle, value] : want) ASSERT_EQ(*table.Find(handle), value);
    ASSERT_EQ(table.All().size(), want.size());
  }
}

TEST(HandleTable, ObjectsCanKnowTheirHandle) {
  HandleTable<void*> table(HandleKind::kContext);
  void* const handle = NewHandle(HandleKind::kContext);
  table.InsertAs(handle, std::make_shared<void*>(handle));
  EXPECT_EQ(*table.Find(handle), handle);
}

}  // namespace
}  // namespace aclnn_cpu
