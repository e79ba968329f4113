#!/usr/bin/env python3
"""Writes the .npy files beside this script: PyTorch's float64 results of the pooling backward.

Per case <name>: <name>_grad_output.npy (float32) and <name>_out.npy (float64), both [C, H, W] or
[N, C, H, W].
"""

import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "..", "..", "..", "..", "tests", "support"))
import golden  # noqa: E402

# name: leading axes, H and W of gradOutput, H and W of out
CASES = {
    "dividing": ((2, 3), (3, 4), (6, 12)),
    "non_dividing": ((2, 3), (3, 2), (4, 5)),
    "overlapping": ((1, 4), (7, 5), (11, 9)),
    "upsampling": ((2, 2), (7, 9), (3, 4)),
    "mixed": ((1, 3), (2, 13), (9, 5)),
    "one_by_one": ((2, 5), (1, 1), (7, 9)),
    "same_size": ((1, 2), (5, 6), (5, 6)),
    "rank3": ((3,), (3, 5), (8, 7)),
    "wide_rows": ((1, 1), (5, 67), (8, 131)),
}


def main():
    golden.use_python_with_torch()
    import torch
    numbers = golden.Numbers(seed=20)
    for name, (leading, grad_hw, out_hw) in CASES.items():
        grad_output = numbers.sixteenths(*leading, *grad_hw)
        self = torch.zeros(leading + out_hw, dtype=torch.float64)
        out = torch.ops.aten._adaptive_avg_pool2d_backward(grad_output, self)
        golden.save(FOLDER, name + "_grad_output", grad_output, "<f4")
        golden.save(FOLDER, name + "_out", out, "<f8")


if __name__ == "__main__":
    main()
