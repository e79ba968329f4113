#ifndef ACLNN_CPU_BASE_FUNCTION_REF_H_
#define ACLNN_CPU_BASE_FUNCTION_REF_H_

#include <memory>
#include <type_traits>
#include <utility>

namespace aclnn_cpu {

// A non-owning reference to a callable that outlives the call it is passed to: no allocation, two
// words.
template <typename Signature>
class FunctionRef;

template <typename R, typename... Args>
class FunctionRef<R(Args...)> {
 public:
  template <typename F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>)
      FunctionRef(F&& callable)  // NOLINT(google-explicit-constructor)
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
        call_([](void* object, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Args>(args)...);
        }) {}

  R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_BASE_FUNCTION_REF_H_
