#include "base/time_text.h"

#include <fmt/core.h>

#include <chrono>

namespace aclnn_cpu {

TimeText TimeNow(int64_t utc_offset_seconds) {
  using namespace std::chrono;
  const auto now = system_clock::now() + seconds(utc_offset_seconds);
  const auto day = floor<days>(now);
  const year_month_day date(day);
  const hh_mm_ss clock(floor<microseconds>(now - day));
  const int64_t us = clock.subseconds().count();
  TimeText text;
  const auto result = fmt::format_to_n(
      text.data(), text.size() - 1, "{:04}-{:02}-{:02}-{:02}:{:02}:{:02}.{:03}.{:03}",
      static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
      static_cast<unsigned>(date.day()), clock.hours().count(), clock.minutes().count(),
      clock.seconds().count(), us / 1000, us % 1000);
  *result.out = '\0';
  return text;
}

}  // namespace aclnn_cpu
