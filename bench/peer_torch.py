#!/usr/bin/env python3
"""Times any installed PyTorch and this library in turn, in one process, on the same memory.

usage: peer_torch.py [--library=DIR] [--threads=N] [--rounds=N] [--filter=TEXT]

Run it with the Python that has the PyTorch of interest; DIR holds libascendcl.so (default: what
`./dev bench` builds). Prints medians and the ratio, and checks that the results agree.
"""
import argparse
import ctypes
import functools
import math
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


WAVELENGTHS = (18, 31, 60)  # voxels
TRANSLATION = (1.37, -0.61, 0.83)
MOTIONS = ("identity", "slope0.05", "slope0.1", "slope0.2", "slope0.4", "rotation5", "rotation20",
           "random")


def places(motion, size, points):
    """Where the points lie, in voxels, x, y, z last: the motions of the program bench."""
    if motion == "random":
        generator = torch.Generator().manual_seed(3)
        where = torch.rand(*points, 3, dtype=torch.float64, generator=generator)
        return where * (torch.tensor(size[::-1]) - 1)
    axes = [torch.linspace(0, extent - 1, count, dtype=torch.float64)
            for extent, count in zip(size, points)]
    where = list(reversed(torch.meshgrid(*axes, indexing="ij")))
    if motion.startswith("slope"):
        slope = float(motion.removeprefix("slope"))
        moved = []
        for axis in range(3):
            waves = [1 / (2 * math.pi / length)
                     * torch.sin(2 * math.pi / length * where[(axis + i) % 3] + 2.1 * axis)
                     for i, length in enumerate(WAVELENGTHS)]
            moved.append(where[axis] + TRANSLATION[axis] + slope / 3 * sum(waves))
        where = moved
    if motion.startswith("rotation"):
        angle = math.radians(float(motion.removeprefix("rotation")))
        cos, sin = math.cos(angle), math.sin(angle)
        centre = [(extent - 1) / 2 for extent in reversed(size)]
        x, y, z = (a - c for a, c in zip(where, centre))
        turned = x * sin + y * cos
        where = [x * cos - y * sin + centre[0], turned * cos - z * sin + centre[1],
                 turned * sin + z * cos + centre[2]]
    return torch.stack(where, -1)


def grid_case(dtype, shape, motion, interpolation=0, padding=0, align_corners=True, points=None,
              channels_last=False, mask=(True, True)):
    n, c, *size = shape
    points = points or size
    extents = torch.tensor(size[::-1], dtype=torch.float64)
    where = places(motion, size, points)
    grid = 2 * where / (extents - 1) - 1 if align_corners else (2 * where + 1) / extents - 1
    grid = grid.expand(n, *points, 3).contiguous().to(dtype)
    memory_format = torch.channels_last_3d if channels_last else torch.contiguous_format
    volume = torch.rand(shape).to(dtype).contiguous(memory_format=memory_format)
    grad = torch.rand(n, c, *points).to(dtype).contiguous(memory_format=memory_format)
    volume_grad, grid_grad = torch.zeros_like(volume), torch.zeros_like(grid)
    wanted = VOID(base.aclCreateBoolArray((ctypes.c_bool * 2)(*mask), ctypes.c_uint64(2)))
    call = Call("aclnnGridSampler3DBackward", acl_tensor(grad), acl_tensor(volume),
                acl_tensor(grid), ctypes.c_int64(interpolation), ctypes.c_int64(padding),
                ctypes.c_bool(align_corners), wanted, acl_tensor(volume_grad),
                acl_tensor(grid_grad))

    def pick_wanted(results):
        return tuple(result for result, want in zip(results, mask) if want)

    def peer():
        return pick_wanted(torch.ops.aten.grid_sampler_3d_backward(
            grad, volume, grid, interpolation, padding, align_corners, list(mask)))
    return call, peer, lambda: pick_wanted((volume_grad, grid_grad))


def make_cases():
    dtypes = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
              "f64": torch.float64}
    cases = {}
    for name, dtype, shape, size in (
            ("f32/32x2048x7x7<-1x1", torch.float32, (32, 2048, 7, 7), (1, 1)),
            ("f32/16x512x14x14<-6x6", torch.float32, (16, 512, 14, 14), (6, 6)),
            ("f32/2x512x32x32<-3x5", torch.float32, (2, 512, 32, 32), (3, 5)),
            ("f32/8x256x64x64<-7x7", torch.float32, (8, 256, 64, 64), (7, 7)),
            ("f32/8x64x7x7<-14x14", torch.float32, (8, 64, 7, 7), (14, 14)),
            ("bf16/16x512x14x14<-6x6", torch.bfloat16, (16, 512, 14, 14), (6, 6)),
            ("f16/16x512x14x14<-6x6", torch.float16, (16, 512, 14, 14), (6, 6))):
        cases["pool/" + name] = functools.partial(pool_case, dtype, shape, size)
    for shape in ((1, 1, 64, 64, 64), (1, 3, 96, 96, 96), (2, 16, 32, 64, 64)):
        text = "x".join(map(str, shape))
        for motion in MOTIONS:
            cases[f"grid/f32/{text}/{motion}"] = functools.partial(
                grid_case, torch.float32, shape, motion)
            if shape[1] >= 8:
                cases[f"grid/f32/{text}/{motion}/channels-last"] = functools.partial(
                    grid_case, torch.float32, shape, motion, channels_last=True)
    for interpolation, mode in enumerate(("bilinear", "nearest")):
        for padding, rule in enumerate(("zeros", "border", "reflection")):
            for align in (True, False):
                name = f"grid/f32/1x1x64x64x64/slope0.1/{mode}/{rule}"
                cases[name + ("" if align else "/half-pixel")] = functools.partial(
                    grid_case, torch.float32, (1, 1, 64, 64, 64), "slope0.1", interpolation,
                    padding, align)
    for name in ("f64", "f16", "bf16"):
        cases[f"grid/{name}/1x1x64x64x64/slope0.1"] = functools.partial(
            grid_case, dtypes[name], (1, 1, 64, 64, 64), "slope0.1")
    for name, mask in (("input-grad-only", (True, False)), ("grid-grad-only", (False, True))):
        cases[f"grid/f32/1x1x64x64x64/slope0.1/{name}"] = functools.partial(
            grid_case, torch.float32, (1, 1, 64, 64, 64), "slope0.1", mask=mask)
    cases["grid/f32/4x32x16x16x16/points8x8x8/slope0.1"] = functools.partial(
        grid_case, torch.float32, (4, 32, 16, 16, 16), "slope0.1", points=(8, 8, 8))
    return cases


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
    for name, make in make_cases().items():
        if options.filter not in name:
            continue
        ours, peer, results = make()
        try:
            expected = peer()
        except RuntimeError:
            print(f"{name:<58} this PyTorch has no such kernel")
            continue
        ours()
        times = {ours: [], peer: []}
        for _ in range(options.rounds):
            for run, measured in times.items():
                measured.append(seconds(run))
        a, b = statistics.median(times[ours]), statistics.median(times[peer])
        print(f"{name:<58} ours {a * 1e6:10.1f} us  torch {b * 1e6:10.1f} us  ratio {b / a:6.2f}"
              f"  largest difference {difference(results(), expected):.1e} of the maximum")


main()
