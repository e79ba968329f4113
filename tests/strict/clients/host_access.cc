// The host reads or writes device memory as if it were its own.
#include "client.h"

namespace {

void Read(bool fault) {
  const Session session;
  void* const memory = AllocateFilled(64);
  float value = 1;
  if (fault) {
    value = static_cast<volatile float*>(memory)[4];
  } else {
    MUST(aclrtMemcpy(&value, sizeof(value), static_cast<float*>(memory) + 4, sizeof(value),
                     ACL_MEMCPY_DEVICE_TO_HOST));
  }
  MUST(value == 0 ? 0 : 1);
  MUST(aclrtFree(memory));
}

// What the host wrote must be there, since the program goes on.
void Write(bool fault) {
  const Session session;
  void* const memory = AllocateFilled(64);
  const float value = 2;
  if (fault) {
    static_cast<volatile float*>(memory)[15] = value;
  } else {
    MUST(aclrtMemcpy(static_cast<float*>(memory) + 15, sizeof(value), &value, sizeof(value),
                     ACL_MEMCPY_HOST_TO_DEVICE));
  }
  float back = 0;
  MUST(aclrtMemcpy(&back, sizeof(back), static_cast<float*>(memory) + 15, sizeof(back),
                   ACL_MEMCPY_DEVICE_TO_HOST));
  MUST(back == 2 ? 0 : 1);
  MUST(aclrtFree(memory));
}

void PastTheEnd(bool fault) {
  const Session session;
  void* const memory = AllocateFilled(4096);
  if (fault) static_cast<volatile char*>(memory)[8192 - 1] = 1;
  MUST(aclrtFree(memory));
}

void BeforeTheStart(bool fault) {
  const Session session;
  void* const memory = AllocateFilled(4096);
  char before = 0;  // read only: what lies there may not be the client's
  if (fault) before = static_cast<volatile char*>(memory)[-8];
  (void)before;
  MUST(aclrtFree(memory));
}

void Freed(bool fault) {
  const Session session;
  void* const memory = AllocateFilled(64);
  MUST(aclrtFree(memory));
  if (fault) static_cast<volatile char*>(memory)[3] = 1;
}

}  // namespace

int main(int argc, char** argv) {
  return RunCase(argc, argv,
                 {{"read", Read},
                  {"write", Write},
                  {"past_the_end", PastTheEnd},
                  {"before_the_start", BeforeTheStart},
                  {"freed", Freed}});
}
