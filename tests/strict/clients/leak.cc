// Something is still there at aclFinalize, or when the process ends without it.
#include "client.h"

namespace {

void Memory(bool fault) {
  const Session session;
  void* const memory = Allocate(1000);
  if (!fault) MUST(aclrtFree(memory));
}

void HostMemory(bool fault) {
  const Session session;
  void* memory = nullptr;
  MUST(aclrtMallocHost(&memory, 1000));
  if (!fault) MUST(aclrtFreeHost(memory));
}

void Tensor(bool fault) {
  const Session session;
  aclTensor* const tensor = MakeTensor(3, 3, nullptr);
  if (!fault) MUST(aclDestroyTensor(tensor));
}

void BoolArray(bool fault) {
  const Session session;
  const bool values[] = {true, false};
  aclBoolArray* const array = aclCreateBoolArray(values, 2);
  if (!fault) MUST(aclDestroyBoolArray(array));
}

void IntArray(bool fault) {
  const Session session;
  const int64_t values[] = {1, 2};
  aclIntArray* const array = aclCreateIntArray(values, 2);
  if (!fault) MUST(aclDestroyIntArray(array));
}

void FloatArray(bool fault) {
  const Session session;
  const float values[] = {1, 2};
  aclFloatArray* const array = aclCreateFloatArray(values, 2);
  if (!fault) MUST(aclDestroyFloatArray(array));
}

aclScalar* MakeScalar() {
  float value = 1;
  return aclCreateScalar(&value, ACL_FLOAT);
}

void Scalar(bool fault) {
  const Session session;
  aclScalar* const scalar = MakeScalar();
  if (!fault) MUST(aclDestroyScalar(scalar));
}

// A list owns what is in it.
void TensorList(bool fault) {
  const Session session;
  const aclTensor* const tensors[] = {MakeTensor(3, 3, nullptr)};
  aclTensorList* const list = aclCreateTensorList(tensors, 1);
  if (!fault) MUST(aclDestroyTensorList(list));
  if (fault) MUST(aclDestroyTensor(tensors[0]));
}

void ScalarList(bool fault) {
  const Session session;
  const aclScalar* const scalars[] = {MakeScalar()};
  aclScalarList* const list = aclCreateScalarList(scalars, 1);
  if (!fault) MUST(aclDestroyScalarList(list));
  if (fault) MUST(aclDestroyScalar(scalars[0]));
}

void Context(bool fault) {
  const Session session;
  aclrtContext own = nullptr;
  aclrtContext before = nullptr;
  MUST(aclrtGetCurrentContext(&before));
  MUST(aclrtCreateContext(&own, 0));
  MUST(aclrtSetCurrentContext(before));
  if (!fault) MUST(aclrtDestroyContext(own));
}

void AlignedMemory(bool fault) {
  const Session session;
  void* memory = nullptr;
  MUST(aclrtMallocAlign32(&memory, 1000, ACL_MEM_MALLOC_HUGE_FIRST));
  if (!fault) MUST(aclrtFree(memory));
}

// aclrtResetDevice ends the streams of the device, so it must come later or not at all.
void Stream(bool fault) {
  MUST(aclInit(nullptr));
  MUST(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  MUST(aclrtCreateStream(&stream));
  if (!fault) MUST(aclrtResetDevice(0));
  MUST(aclFinalize());
}

void StreamWithConfig(bool fault) {
  MUST(aclInit(nullptr));
  MUST(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  MUST(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_FAST_LAUNCH));
  if (!fault) MUST(aclrtDestroyStream(stream));
  MUST(aclFinalize());
}

void Event(bool fault) {
  const Session session;
  aclrtEvent event = nullptr;
  MUST(aclrtCreateEvent(&event));
  if (!fault) MUST(aclrtDestroyEvent(event));
}

void EventWithFlag(bool fault) {
  const Session session;
  aclrtEvent event = nullptr;
  MUST(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
  if (!fault) MUST(aclrtDestroyEvent(event));
}

void AtExit(bool fault) {
  MUST(aclrtSetDevice(0));
  void* const memory = Allocate(1000);
  if (!fault) MUST(aclrtFree(memory));
}

// Freed by a destructor that runs after main: no leak.
struct Owner {
  ~Owner() {
    if (memory != nullptr) aclrtFree(memory);
  }
  void* memory = nullptr;
};
Owner owner;

void StaticOwner(bool fault) {
  MUST(aclrtSetDevice(0));
  owner.memory = Allocate(1000);
  if (fault) Allocate(2000);
}

}  // namespace

int main(int argc, char** argv) {
  return RunCase(argc, argv,
                 {{"memory", Memory},
                  {"host_memory", HostMemory},
                  {"tensor", Tensor},
                  {"bool_array", BoolArray},
                  {"int_array", IntArray},
                  {"float_array", FloatArray},
                  {"scalar", Scalar},
                  {"tensor_list", TensorList},
                  {"scalar_list", ScalarList},
                  {"context", Context},
                  {"aligned_memory", AlignedMemory},
                  {"stream", Stream},
                  {"stream_with_config", StreamWithConfig},
                  {"event", Event},
                  {"event_with_flag", EventWithFlag},
                  {"at_exit", AtExit},
                  {"static_owner", StaticOwner}});
}
