/// Gradient of three-dimensional grid sampling. C and C++.
///
/// Forward grid sampling reads a volume `input` at the points given by `grid`:
/// output[n, c, d, h, w] is input[n, c] interpolated at grid[n, d, h, w]. This is its gradient with
/// respect to input and grid.
///
/// Components: grid's last axis is (x, y, z), which run along (W, H, D) of input - the reverse of
/// the order of its axes. -1 and +1 are the two ends of an axis. Example: input with D = 3, H = 5,
/// W = 9 and alignCorners true: the point (1, -1, 0) lies at W index 8, H index 0, D index 1. A
/// displacement field with components ordered (D, H, W) must be reversed.
///
/// For a component c on an axis of size S:
/// 1. index
///      alignCorners   v = (c + 1) / 2 * (S - 1)      factor m = (S - 1) / 2
///      otherwise      v = ((c + 1) * S - 1) / 2      factor m = S / 2
/// 2. padding
///      0 zeros        v stays; outside the volume input counts as 0
///      1 border       v <= 0 gives v = 0, m = 0; v >= S - 1 gives v = S - 1, m = 0
///      2 reflection   v is mirrored at 0 and S - 1 (alignCorners) or -1/2 and S - 1/2, and m
///                     changes sign with each mirroring; then as border. Where the mirrors
///                     coincide (alignCorners, S = 1): v = 0, m = 0
/// 3. not finite
///      A v that is NaN, infinite or beyond int32 puts the point outside. So a NaN component with
///      any padding, and an infinite one with zeros or reflection (S = 1 included, as on A2), makes
///      the whole point contribute nothing and its gridGrad 0. An infinite one with border is
///      clipped to the end, m = 0 - but with alignCorners and S = 1 it is NaN by step 1.
/// 4. interpolation, over the corners inside the volume, with g = gradOutput[n, c, d, h, w]
///      0 bilinear     trilinear in three dimensions: 8 corners, weight = product of the three
///                     linear weights
///                       inputGrad[corner] += weight * g
///                       gridGrad[k] = m[k] * sum over channels and corners of
///                                     (d weight / d v[k]) * input[corner] * g
///                     A corner of weight 0 takes part: 0 * Inf of input reaches gridGrad as NaN
///      1 nearest      one corner, its indices rounded half to even: inputGrad[corner] += g;
///                     gridGrad is written as 0
///      2 bicubic      does not exist here. The flow text of the CANN 8.5.0 page names it, its
///                     parameter table does not: 161002
///
/// Numerics: FLOAT16 and BFLOAT16 are computed in float and rounded once, to nearest even; FLOAT in
/// float; DOUBLE in double. Sums have a fixed order, so the bits do not depend on threads, vector
/// width or ACL_OPT_DETERMINISTIC.

#ifndef OP_API_INC_GRID_SAMPLER3D_BACKWARD_H_
#define OP_API_INC_GRID_SAMPLER3D_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase one: checks the arguments, plans the work and says how much workspace it needs. Reads no
/// tensor data and queues nothing. Needs no aclInit(), device or context. Any thread may call.
///
/// Shapes are view shapes; any strides, offset and storage shape will do. Wanted outputs are
/// overwritten; memory between the elements of a strided output stays as it is. An input that
/// overlaps a wanted output is copied first (ours); two outputs must not overlap each other.
///
/// Layout: only input's format decides. NDHWC: input, gradOutput and inputGrad are (N, D, H, W, C);
/// any other: (N, C, D, H, W). grid and gridGrad are always (N, outD, outH, outW, 3). The formats
/// of the other tensors are not looked at.
///
/// @param gradOutput input (N, C, outD, outH, outW) or (N, outD, outH, outW, C); dtype as input
/// @param input input (N, C, D, H, W) or (N, D, H, W, C). FLOAT, FLOAT16, BFLOAT16
///   (ACL_BF16) or DOUBLE. The page excludes BFLOAT16 on Ascend910, and DOUBLE with NDHWC; both
///   work
/// @param grid input (N, outD, outH, outW, 3); dtype as input
/// @param interpolationMode 0 bilinear, 1 nearest
/// @param paddingMode 0 zeros, 1 border, 2 reflection
/// @param alignCorners whether -1 and +1 are the centres of the first and last element (true) or
///   their outer edges (false)
/// @param outputMask two values: whether inputGrad, and gridGrad, are wanted. Null: neither
/// @param inputGrad output, shape and dtype of input, any format. Must not be null, and is
///   checked, even when not wanted; it is not written then
/// @param gridGrad output, shape and dtype of grid, any format; when not wanted, as inputGrad
/// @param workspaceSize receives bytes, 0 or more; written only on success
/// @param executor receives the executor for phase two, also when workspaceSize is 0; written only
///   on success. Phase two destroys it; if phase two is not called, aclDestroyAclOpExecutor()
///
/// @return the first check that fails decides:
///   161001 workspaceSize or executor is null
///   0      outputMask is null: nothing will run, no other argument is looked at
///   161001 gradOutput, input, grid, inputGrad or gridGrad is null
///   161002 dtype of gradOutput, grid, inputGrad or gridGrad differs from dtype of input
///   161002 dtype of input is not FLOAT, FLOAT16, BFLOAT16 or DOUBLE
///   161002 paddingMode is not 0..2, then interpolationMode not 0..1
///   161002 rank of input, grid or gradOutput is not 5
///   161002 N of grid or gradOutput differs from input's
///   161002 C of gradOutput differs from input's
///   161002 dimensions 1..3 of grid differ from outD, outH, outW of gradOutput
///   161002 dimension 4 of grid is not 3
///   161002 shape of inputGrad differs from input's, then shape of gridGrad from grid's
///   161002 outputMask has not 2 values
///   0      gradOutput, input or grid is empty (a dimension is 0), or no output is wanted: nothing
///          will run, both outputs stay untouched, workspaceSize is 0
///   561103 a view leaves its storage, unless it is row-major without gaps; or an extent product
///          overflows 64 bits. Of the outputs only wanted ones
///   561003 the operator page marks the product as unsupported: Ascend310P, Ascend310B (ours)
///   0      success
///
/// Source: checks and codes are CANN's code (order of 9.1 and later). The page lists fewer: it does
/// not mention the null outputMask, and forbids D, H or W of input to be 0, which is empty here.
ACLNN_API aclnnStatus aclnnGridSampler3DBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* input, const aclTensor* grid,
    int64_t interpolationMode, int64_t paddingMode, bool alignCorners,
    const aclBoolArray* outputMask, aclTensor* inputGrad, aclTensor* gridGrad,
    uint64_t* workspaceSize, aclOpExecutor** executor);

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
///   361001 a tensor whose data are needed has a null address (an output not wanted may), the
///          stream is unknown, or null while the thread has no current context; nothing runs.
///          Empty work looks at none of these and returns 0
///   361001 no memory is left to queue the work, or to copy an input that overlaps an output
///   0      queued. An error while the work runs is reported by the synchronising call
ACLNN_API aclnnStatus aclnnGridSampler3DBackward(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // OP_API_INC_GRID_SAMPLER3D_BACKWARD_H_
