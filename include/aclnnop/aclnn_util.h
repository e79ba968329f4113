/// The export mark of the operator headers. C and C++.

#ifndef OPBASE_COMMON_ACLNN_UTIL_H
#define OPBASE_COMMON_ACLNN_UTIL_H

/// Stands before every operator function. Tools that read the operator headers skip this word.
#ifndef ACLNN_API
#if defined(__GNUC__)
#define ACLNN_API __attribute__((visibility("default")))
#else
#define ACLNN_API
#endif
#endif

#endif  // OPBASE_COMMON_ACLNN_UTIL_H
