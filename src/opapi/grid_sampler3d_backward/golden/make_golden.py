#!/usr/bin/env python3
"""Writes the .npy files beside this script: PyTorch's float64 results of the sampling backward.

Per case <name>: <name>_{grad_output,input,grid}.npy (float32) and <name>_{input_grad,grid_grad}.npy
(float64). The two results have a first axis of 12: (interpolation, padding, align_corners) from
(0, 0, False), (0, 0, True), (0, 1, False) ... to (1, 2, True).

Grid coordinates are odd multiples of a power of two. On axes as short as these their places in the
volume are exact in float32 and neither integers nor halves between two integers, where rounding
could put a point into another cell.
"""

import itertools
import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "..", "..", "..", "..", "tests", "support"))
import golden  # noqa: E402

# name: N, C; D, H, W of input; D, H, W of the grid; step of the coordinates
CASES = {
    "odd_sizes": ((2, 3), (3, 5, 7), (2, 3, 9), 1 / 64),
    "even_sizes": ((1, 2), (4, 2, 6), (3, 1, 7), 1 / 64),
    "thin": ((1, 5), (1, 9, 1), (2, 2, 3), 1 / 64),
    "far_outside": ((1, 1), (2, 3, 5), (2, 4, 5), 1 / 8),
    "many_channels": ((1, 35), (2, 2, 3), (1, 2, 3), 1 / 64),
}


def check_places(grid, sizes, align_corners):
    """Ends the script unless each place is at least 1/128 away from integers and halves."""
    for axis, size in enumerate(reversed(sizes)):
        if align_corners and size == 1:
            continue  # 0 whatever the coordinate
        coordinate = grid[..., axis]
        if align_corners:
            place = (coordinate + 1) / 2 * (size - 1)
        else:
            place = ((coordinate + 1) * size - 1) / 2
        halves = place * 2
        if ((halves - halves.round()).abs() < 1 / 64).any():
            sys.exit("a place is too close to an integer or a half")


def main():
    golden.use_python_with_torch()
    import torch
    numbers = golden.Numbers(seed=21)
    for name, (nc, sizes, grid_sizes, step) in CASES.items():
        grad_output = numbers.sixteenths(*nc, *grid_sizes)
        volume = numbers.sixteenths(*nc, *sizes)
        grid = numbers.odd_multiples(step, nc[0], *grid_sizes, 3)
        results = []
        for mode, padding, align in itertools.product(range(2), range(3), (False, True)):
            check_places(grid, sizes, align)
            results.append(torch.ops.aten.grid_sampler_3d_backward(
                grad_output, volume, grid, mode, padding, align, [True, True]))
        golden.save(FOLDER, name + "_grad_output", grad_output, "<f4")
        golden.save(FOLDER, name + "_input", volume, "<f4")
        golden.save(FOLDER, name + "_grid", grid, "<f4")
        golden.save(FOLDER, name + "_input_grad", torch.stack([r[0] for r in results]), "<f8")
        golden.save(FOLDER, name + "_grid_grad", torch.stack([r[1] for r in results]), "<f8")


if __name__ == "__main__":
    main()
