#ifndef ACLNN_CPU_ASCENDCL_STRICT_SIGNAL_H_
#define ACLNN_CPU_ASCENDCL_STRICT_SIGNAL_H_

namespace aclnn_cpu {

// The handler of SIGSEGV that sees the host touch device memory: it reports, opens the block to the
// host and goes on, or (ACLNN_CPU_STRICT=abort) lets the process die. Every other fault goes to the
// handler that was there before. The state's mutex is held, for the next one as well.
void InstallHostAccessHandler();

// Puts the old handler back, unless the client has installed another one since.
void RemoveHostAccessHandler();

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_ASCENDCL_STRICT_SIGNAL_H_
