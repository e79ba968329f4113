#!/usr/bin/env python3
"""Times any installed PyTorch and this library in turn, in one process, on the same memory.

usage: peer_torch.py [--library=DIR] [--threads=N] [--rounds=N] [--filter=TEXT]

Run it with the Python that has the PyTorch of interest; DIR holds libascendcl.so (default: what
`./dev bench` builds). Prints medians and the ratio, and checks that the results agree.
"""
import argparse
import ctypes
import os
import pathlib
import statistics
import time

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--library",
                    default=pathlib.Path(__file__).resolve().parents[1] / "build/bench/lib64")
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--rounds", type=int, default=9)
parser.add_argument("--filter", default="")
options = parser.parse_args()
os.environ["ACLNN_CPU_NUM_THREADS"] = str(options.threads)

import torch  # noqa: E402  after the options, because it takes seconds

torch.set_num_threads(options.threads)
ACL_DTYPES = {torch.float32: 0, torch.float16: 1, torch.float64: 11, torch.bfloat16: 27}
ACL_FORMAT_ND = 2
VOID = ctypes.c_void_p


def open_library(name):
    return ctypes.CDLL(str(pathlib.Path(options.library) / name), mode=ctypes.RTLD_GLOBAL)


acl = open_library("libascendcl.so")
base = open_library("libnnopbase.so")
ops = open_library("libopapi.so")
base.aclCreateTensor.restype = VOID
base.aclCreateBoolArray.restype = VOID
acl.aclGetRecentErrMsg.restype = ctypes.c_char_p


def check(code):
    if code != 0:
        raise RuntimeError(f"{code}: {acl.aclGetRecentErrMsg()}")


def acl_tensor(tensor):
    dims = (ctypes.c_int64 * tensor.dim())(*tensor.shape)
    strides = (ctypes.c_int64 * tensor.dim())(*tensor.stride())
    storage = (ctypes.c_int64 * 1)(
        1 + sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride())))
    return VOID(base.aclCreateTensor(dims, ctypes.c_uint64(tensor.dim()),
                                     ACL_DTYPES[tensor.dtype], strides, ctypes.c_int64(0),
                                     ACL_FORMAT_ND, storage, ctypes.c_uint64(1),
                                     VOID(tensor.data_ptr())))


class Call:
    """A two-phase call on fixed arguments."""

    def __init__(self, name, *arguments):
        self.phase_one = getattr(ops, name + "GetWorkspaceSize")
        self.phase_two = getattr(ops, name)
        self.arguments = arguments
        self.stream = VOID()
        check(acl.aclrtCreateStream(ctypes.byref(self.stream)))
        self.workspace = None

    def __call__(self):
        size = ctypes.c_uint64()
        executor = VOID()
        check(self.phase_one(*self.arguments, ctypes.byref(size), ctypes.byref(executor)))
        if self.workspace is None or len(self.workspace) < size.value:
            self.workspace = ctypes.create_string_buffer(max(1, size.value))
        check(self.phase_two(self.workspace, size, executor, self.stream))
        check(acl.aclrtSynchronizeStream(self.stream))


def pool_case(dtype, self_shape, grad_size):
    grad = torch.rand(*self_shape[:2], *grad_size).to(dtype)
    out = torch.zeros(self_shape, dtype=dtype)
    call = Call("aclnnAdaptiveAvgPool2dBackward", acl_tensor(grad), acl_tensor(out),
                acl_tensor(out))
    return call, lambda: torch.ops.aten._adaptive_avg_pool2d_backward(grad, out), lambda: (out,)


def grid_case(dtype, shape, slope):
    n, c, *size = shape
    axes = [torch.linspace(-1, 1, extent) for extent in size]
    z, y, x = torch.meshgrid(*axes, indexing="ij")
    wave = slope * torch.sin(3 * x + 2 * y + z) / 3
    grid = torch.stack((x + wave, y - wave, z + wave), -1).expand(n, *size, 3).contiguous()
    grid = grid.to(dtype)
    volume = torch.rand(shape).to(dtype)
    grad = torch.rand(shape).to(dtype)
    volume_grad, grid_grad = torch.zeros_like(volume), torch.zeros_like(grid)
    mask = VOID(base.aclCreateBoolArray((ctypes.c_bool * 2)(True, True), ctypes.c_uint64(2)))
    call = Call("aclnnGridSampler3DBackward", acl_tensor(grad), acl_tensor(volume),
                acl_tensor(grid), ctypes.c_int64(0), ctypes.c_int64(0), ctypes.c_bool(True), mask,
                acl_tensor(volume_grad), acl_tensor(grid_grad))
    peer = lambda: torch.ops.aten.grid_sampler_3d_backward(  # noqa: E731
        grad, volume, grid, 0, 0, True, [True, True])
    return call, peer, lambda: (volume_grad, grid_grad)


CASES = {
    "pool/f32/32x2048x7x7<-1x1": lambda: pool_case(torch.float32, (32, 2048, 7, 7), (1, 1)),
    "pool/f32/16x512x14x14<-6x6": lambda: pool_case(torch.float32, (16, 512, 14, 14), (6, 6)),
    "pool/f32/2x512x32x32<-3x5": lambda: pool_case(torch.float32, (2, 512, 32, 32), (3, 5)),
    "pool/f32/8x256x64x64<-7x7": lambda: pool_case(torch.float32, (8, 256, 64, 64), (7, 7)),
    "pool/bf16/16x512x14x14<-6x6": lambda: pool_case(torch.bfloat16, (16, 512, 14, 14), (6, 6)),
    "pool/f16/16x512x14x14<-6x6": lambda: pool_case(torch.float16, (16, 512, 14, 14), (6, 6)),
    "grid/f32/1x1x64x64x64/slope0": lambda: grid_case(torch.float32, (1, 1, 64, 64, 64), 0),
    "grid/f32/1x1x64x64x64/slope0.1": lambda: grid_case(torch.float32, (1, 1, 64, 64, 64), 0.1),
    "grid/f32/1x3x96x96x96/slope0.1": lambda: grid_case(torch.float32, (1, 3, 96, 96, 96), 0.1),
    "grid/f32/2x16x32x64x64/slope0.1": lambda: grid_case(torch.float32, (2, 16, 32, 64, 64), 0.1),
}


def seconds(run):
    run()  # untimed: brings its data into cache
    start = time.perf_counter()
    count = 0
    while time.perf_counter() - start < 0.02:
        run()
        count += 1
    return (time.perf_counter() - start) / count


def difference(ours, theirs):
    theirs = theirs if isinstance(theirs, tuple) else (theirs,)
    return max(((a.double() - b.double()).abs().max() / b.double().abs().max()).item()
               for a, b in zip(ours, theirs))


def main():
    check(acl.aclInit(None))
    check(acl.aclrtSetDevice(0))
    print(f"PyTorch {torch.__version__}, {options.threads} thread(s)")
    for name, make in CASES.items():
        if options.filter not in name:
            continue
        ours, peer, results = make()
        try:
            expected = peer()
        except RuntimeError:
            print(f"{name:<36} this PyTorch has no such kernel")
            continue
        ours()
        times = {ours: [], peer: []}
        for _ in range(options.rounds):
            for run, measured in times.items():
                measured.append(seconds(run))
        a, b = statistics.median(times[ours]), statistics.median(times[peer])
        print(f"{name:<36} ours {a * 1e6:10.1f} us  torch {b * 1e6:10.1f} us  ratio {b / a:6.2f}"
              f"  largest difference {difference(results(), expected):.1e} of the maximum")


main()
