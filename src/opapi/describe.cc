#include "opapi/describe.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "acl/acl_rt.h"
#include "ascendcl/soc_table.h"
#include "base/env.h"
#include "base/log.h"
#include "base/parallel.h"
#include "base/version.h"
#include "nnopbase/op_registry.h"
#include "nnopbase/tensor.h"
#include "opapi/json_text.h"
#include "simd/targets.h"

namespace aclnn_cpu {
namespace {

// The file that this code was loaded from, links resolved: several copies may be installed.
std::string LibraryPath() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&aclnn_cpu_describe), &info) == 0) return "";
  char* resolved = realpath(info.dli_fname, nullptr);
  const std::string path = resolved != nullptr ? resolved : info.dli_fname;
  free(resolved);
  return path;
}

std::string DescribeTargets() {
  const std::vector<Target> usable = UsableTargets();
  const Target chosen = CurrentTarget();
  return JsonArray(BuiltTargets(), [&](const Target& target) {
    bool can_run = false;
    for (const Target& other : usable) can_run = can_run || other.bit == target.bit;
    return fmt::format(R"({{"name":{},"usable":{},"chosen":{}}})", JsonQuote(target.name), can_run,
                       target.bit == chosen.bit);
  });
}

std::string DescribeEnvironment() {
  std::vector<EnvRow> rows;
  for (int i = 0; i < static_cast<int>(EnvVar::kCount); ++i) {
    rows.push_back(EnvRowOf(static_cast<EnvVar>(i)));
  }
  return JsonArray(rows, [](const EnvRow& row) {
    return fmt::format(R"({{"name":{},"meaning":{},"default":{},"value":{},"accepted":{}}})",
                       JsonQuote(row.name), JsonQuote(row.meaning), JsonQuote(row.fallback),
                       JsonQuoteOrNull(row.value), row.accepted);
  });
}

std::string DescribeInfo() {
  const std::string targets = DescribeTargets();
  const int threads = ThreadCount();
  const std::string soc = JsonQuote(CurrentSocName());
  uint32_t devices = 0;
  aclrtGetDeviceCount(&devices);
  LogEnabled(LogModule::kAscendCl, LogLevel::kError);
  // After all of the above: who uses a variable is who finds its value bad.
  const std::string environment = DescribeEnvironment();
  return fmt::format(
      R"({{"version":{},"library":{},"targets":{},"threads":{},"soc":{},"devices":{},)"
      R"("environment":{}}})",
      JsonQuote(kVersion), JsonQuote(LibraryPath()), targets, threads, soc, devices, environment);
}

std::string SocNamesIn(SocSet set) {
  std::vector<const char*> names;
  for (const SocFamily& family : SocFamilies()) {
    if ((set & SocBit(family.soc)) != 0) names.push_back(family.short_name);
  }
  return JsonArray(names, JsonQuote);
}

std::string DescribeProduct(const SocFamily& family) {
  std::vector<const char*> names;
  for (const SocName& name : SocNames()) {
    if (name.soc == family.soc) names.push_back(name.long_name);
  }
  return fmt::format(R"({{"soc":{},"marketing_name":{},"long_names":{}}})",
                     JsonQuote(family.short_name), JsonQuote(family.marketing_name),
                     JsonArray(names, JsonQuote));
}

std::string DescribeOp(const OpInfo& op) {
  const std::string dtypes = JsonArray(op.support, [](const SupportRow& row) {
    return fmt::format(R"({{"dtype":{},"accepted":{},"page":{},"page_note":{}}})",
                       JsonQuote(DtypeName(row.dtype)), SocNamesIn(row.accepted),
                       SocNamesIn(row.page), JsonQuoteOrNull(row.page_note));
  });
  const std::string forbids = JsonArray(op.page_forbids, [](const PageRule& rule) {
    return fmt::format(R"({{"id":{},"reason":{}}})", JsonQuote(rule.id), JsonQuote(rule.reason));
  });
  return fmt::format(R"({{"stem":{},"api":{},"op_type":{},"supported":{},"formats":{},"dtypes":{},)"
                     R"("page_forbids":{}}})",
                     JsonQuote(op.stem), JsonQuote(op.api), JsonQuote(op.op_type),
                     SocNamesIn(op.supported_socs), JsonQuote(op.formats), dtypes, forbids);
}

std::string DescribeSupport() {
  const std::string ops =
      JsonArray(RegisteredOps(), [](const OpEntry& entry) { return DescribeOp(entry.info()); });
  return fmt::format(R"({{"products":{},"operators":{}}})",
                     JsonArray(SocFamilies(), DescribeProduct), ops);
}

}  // namespace
}  // namespace aclnn_cpu

extern "C" size_t aclnn_cpu_describe(const char* topic, char* buffer, size_t size) {
  try {
    std::string text;
    if (std::strcmp(topic, "info") == 0) {
      text = aclnn_cpu::DescribeInfo();
    } else if (std::strcmp(topic, "support") == 0) {
      text = aclnn_cpu::DescribeSupport();
    } else {
      return 0;
    }
    if (text.size() < size) std::memcpy(buffer, text.c_str(), text.size() + 1);
    return text.size() + 1;
  } catch (...) {
    return 0;
  }
}
