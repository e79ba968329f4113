/// Gradient of two-dimensional adaptive average pooling. C and C++.
///
/// Forward pooling divides each H x W plane of `self` into an outH x outW pattern of windows and
/// takes the mean of each. This is its gradient: every window's gradient goes in equal parts to the
/// elements of the window.
///
///   h0 = floor(oh * H / outH)      h1 = ceil((oh + 1) * H / outH)      kh = h1 - h0
///   w0 = floor(ow * W / outW)      w1 = ceil((ow + 1) * W / outW)      kw = w1 - w0
///   out[h, w] = sum over all (oh, ow) with h0 <= h < h1 and w0 <= w < w1
///               of gradOutput[oh, ow] / (kh * kw)
///
/// H, W are the last two axes of self and out; outH, outW those of gradOutput. Leading axes are
/// independent planes.
///
/// Three points that are easily misread:
/// - gradOutput's H and W are the output size of the forward pooling and are not compared with
///   self's: smaller, equal and larger all work, and nothing is broadcast. (Older operator pages
///   speak of a one-way broadcast over H and W; the code compares rank and leading axes only.)
/// - Windows overlap when outH does not divide H. H = 5, outH = 3 gives the windows [0, 2), [1, 4),
///   [3, 5): rows 1 and 3 belong to two windows each and receive a share of both.
/// - `self` gives shape, dtype and format only. Its data are never read and may be null.
///
/// Numerics: FLOAT16 and BFLOAT16 are computed in float and rounded once, to nearest even. Sums
/// have a fixed order, so the bits do not depend on threads, vector width or ACL_OPT_DETERMINISTIC.
/// NaN and Inf follow IEEE arithmetic and stay within their window.

#ifndef OP_API_INC_AdaptiveAvgPool2dBackward_H_
#define OP_API_INC_AdaptiveAvgPool2dBackward_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase one: checks the arguments, plans the work and says how much workspace it needs. Reads no
/// tensor data and queues nothing. Needs no aclInit(), device or context. Any thread may call.
///
/// Shapes are view shapes; any strides, offset and storage shape will do. Every element of out is
/// overwritten; memory between the elements of a strided out stays as it is.
///
/// @param gradOutput input (N, C, outH, outW) or (C, outH, outW). FLOAT or FLOAT16; BFLOAT16
///   (ACL_BF16) too on Ascend910B, 910_93, 910E and 950, see aclrtGetSocName(). Any public format
///   (NCHW, NCL, ND, NHWC, ...), which never changes the meaning of the axes
/// @param self input of the forward pooling: (N, C, H, W) or (C, H, W); rank, leading axes, dtype
///   and format as gradOutput. Shape only, see above
/// @param out output; shape and dtype as self, any format. May be the same memory as self. Where
///   it overlaps gradOutput, that is copied first (ours). When gradOutput's H and W are both 1, out
///   may also be another of FLOAT, FLOAT16, BFLOAT16, DOUBLE, and the result is converted
/// @param workspaceSize receives bytes, 0 or more; written only on success
/// @param executor receives the executor for phase two, also when workspaceSize is 0; written only
///   on success. Phase two destroys it; if phase two is not called, aclDestroyAclOpExecutor()
///
/// @return the first check that fails decides:
///   161001 workspaceSize or executor is null
///   161001 gradOutput, self or out is null
///   161002 rank of gradOutput differs from rank of self
///   161002 a dimension of self, then of gradOutput, is negative
///   161002 rank of out is neither 3 nor 4, or differs from rank of self
///   161002 a leading axis of out, then of gradOutput, differs from self's
///   161002 dtype of gradOutput, then of self, is not allowed on this product
///   161002 dtype of gradOutput differs from dtype of self
///   161002 format of gradOutput differs from format of self
///   161002 the format is private (NC1HWC0, FRACTAL_Z, NC1HWC0_C04, FRACTAL_NZ, NDC1HWC0,
///          FRACTAL_Z_3D, FRACTAL_NZ_C0_*)
///   0      self or gradOutput is empty (a dimension is 0): nothing will run, out stays untouched,
///          workspaceSize is 0
///   561103 a view leaves its storage, unless it is row-major without gaps; or an extent product
///          overflows 64 bits
///   561003 the operator page marks the product as unsupported: Ascend310B (ours)
///   561103 on Ascend910 and Ascend310P, unless outH = outW = 1: outH*H, W*outW or outH*outW is
///          above 536870911
///   561103 dtype of out differs from self's (when outH = outW = 1: is none of the four above)
///   561103 H or W of out differs from self's
///   0      success
///
/// Source: checks and codes are CANN's code. The operator page lists fewer checks: it does not
/// mention the null check of out, nor that public formats besides ND, NCHW and NCL pass.
ACLNN_API aclnnStatus aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize(const aclTensor* gradOutput,
                                                                     const aclTensor* self,
                                                                     aclTensor* out,
                                                                     uint64_t* workspaceSize,
                                                                     aclOpExecutor** executor);

/// Phase two: queues the work that phase one planned. Does not wait for it; the results are there
/// after the stream was synchronised. Small work may run before the call returns (ours).
///
/// The tensors may be destroyed as soon as this returns; their memory and the workspace must stay
/// until the work is done. Any thread may call; one executor must not run on two threads at once.
///
/// @param workspace device memory of workspaceSize bytes, written while the work runs, undefined
///   afterwards; null when workspaceSize is 0. Calls on one stream may share it
/// @param workspaceSize what phase one said, or more
/// @param executor executor from phase one. Destroyed afterwards whatever the result; a repeatable
///   one (aclSetAclOpExecutorRepeatable()) stays, unless a check below fails
/// @param stream stream to queue on; null is the default stream of the current context
///
/// @return checked in this order:
///   161001 executor is null
///   561000 executor is not alive: used up, destroyed or never one (ours; a card crashes)
///   161001 workspaceSize is not 0 but workspace is null
///   161002 workspaceSize is below what phase one said (ours); nothing runs
///   361001 a tensor whose data are needed has a null address (self's are not), the
///          stream is unknown, or null while the thread has no current context; nothing runs.
///          Empty work looks at none of these and returns 0
///   361001 no memory is left to queue the work, or to copy an input that overlaps an output
///   0      queued. An error while the work runs is reported by the synchronising call
ACLNN_API aclnnStatus aclnnAdaptiveAvgPool2dBackward(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor,
                                                     const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // OP_API_INC_AdaptiveAvgPool2dBackward_H_
