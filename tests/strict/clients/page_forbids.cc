// The code accepts it, the operator's page does not.
#include "aclnnop/aclnn_grid_sampler3d_backward.h"
#include "client.h"

namespace {

void PoolFormat(bool fault) {
  const Session session;
  Pool pool;
  const int64_t dims[] = {1, 2, 5, 5};
  aclDestroyTensor(pool.out);
  pool.out = aclCreateTensor(dims, 4, ACL_FLOAT, nullptr, 0,
                             fault ? ACL_FORMAT_ND : ACL_FORMAT_NCHW, dims, 4, pool.out_memory);
  pool.Run(session.stream);
}

struct Sampler {
  aclTensor* Make(std::vector<int64_t> dims, aclDataType dtype, aclFormat format) {
    memory.push_back(AllocateFilled(4096));
    tensors.push_back(aclCreateTensor(dims.data(), dims.size(), dtype, nullptr, 0, format,
                                      dims.data(), dims.size(), memory.back()));
    return tensors.back();
  }
  ~Sampler() {
    for (aclTensor* tensor : tensors) aclDestroyTensor(tensor);
    for (void* block : memory) MUST(aclrtFree(block));
  }
  std::vector<void*> memory;
  std::vector<aclTensor*> tensors;
};

// DOUBLE together with NDHWC.
void SamplerDtype(bool fault) {
  const Session session;
  Sampler s;
  const aclDataType dtype = fault ? ACL_DOUBLE : ACL_FLOAT;
  const std::vector<int64_t> volume = {1, 2, 2, 2, 1};
  const std::vector<int64_t> points = {1, 2, 2, 2, 3};
  aclTensor* const grad = s.Make(volume, dtype, ACL_FORMAT_NDHWC);
  aclTensor* const input = s.Make(volume, dtype, ACL_FORMAT_NDHWC);
  aclTensor* const grid = s.Make(points, dtype, ACL_FORMAT_NDHWC);
  aclTensor* const input_grad = s.Make(volume, dtype, ACL_FORMAT_NDHWC);
  aclTensor* const grid_grad = s.Make(points, dtype, ACL_FORMAT_NDHWC);
  const bool both[] = {true, true};
  aclBoolArray* const mask = aclCreateBoolArray(both, 2);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  MUST(aclnnGridSampler3DBackwardGetWorkspaceSize(grad, input, grid, 0, 0, false, mask, input_grad,
                                                  grid_grad, &size, &executor));
  void* const workspace = Allocate(size + 1);
  MUST(aclnnGridSampler3DBackward(workspace, size, executor, session.stream));
  MUST(aclrtSynchronizeStream(session.stream));
  MUST(aclrtFree(workspace));
  MUST(aclDestroyBoolArray(mask));
}

}  // namespace

int main(int argc, char** argv) {
  return RunCase(argc, argv, {{"pool_format", PoolFormat}, {"sampler_dtype", SamplerDtype}});
}
