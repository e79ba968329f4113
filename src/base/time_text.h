#ifndef ACLNN_CPU_BASE_TIME_TEXT_H_
#define ACLNN_CPU_BASE_TIME_TEXT_H_

#include <array>
#include <cstdint>

namespace aclnn_cpu {

// "2025-01-31-23:59:59.123.456" (milliseconds, microseconds), ended by a zero.
using TimeText = std::array<char, 40>;

// The time of day so many seconds east of UTC. The offset is the caller's, because asking the C
// library for the local one takes a lock that a forked child may find locked for ever.
TimeText TimeNow(int64_t utc_offset_seconds);

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_BASE_TIME_TEXT_H_
