"""What the make_golden.py scripts of the operators share: finding PyTorch, and exact inputs."""

import os
import shutil
import subprocess
import sys


def use_python_with_torch():
    """Goes on under a Python that can import torch, which need not be the first one on PATH."""
    try:
        import torch  # noqa: F401
        return
    except ImportError:
        pass
    folders = os.environ.get("PATH", "").split(os.pathsep) + ["/usr/bin"]
    for folder in folders:
        python = shutil.which("python3", path=folder)
        if python and subprocess.run([python, "-c", "import torch"], check=False,
                                     stderr=subprocess.DEVNULL).returncode == 0:
            os.execv(python, [python] + sys.argv)
    sys.exit("no python3 on PATH can import torch")


class Numbers:
    """A fixed sequence of numbers that FLOAT16 and BFLOAT16 hold exactly, as float64 tensors."""

    def __init__(self, seed):
        import numpy
        self._state = numpy.random.RandomState(seed)  # its sequence is frozen by NumPy's promise

    def sixteenths(self, *shape):
        """Multiples of 1/16 in [-2, 2]."""
        import torch
        return torch.from_numpy(self._state.randint(-32, 33, shape).astype("float64") / 16)

    def odd_multiples(self, step, *shape):
        """Odd multiples of step, a power of two, in (-128 * step, 128 * step)."""
        import torch
        return torch.from_numpy((2.0 * self._state.randint(-64, 64, shape) + 1) * step)


def save(folder, name, tensor, dtype):
    """Writes <folder>/<name>.npy, format version 1.0; dtype is '<f4' or '<f8'."""
    import numpy
    array = numpy.ascontiguousarray(tensor.numpy()).astype(dtype)
    if dtype == "<f4" and not numpy.array_equal(array.astype("float64"), tensor.numpy()):
        sys.exit(f"{name} is not exact in float32")
    with open(os.path.join(folder, name + ".npy"), "wb") as file:
        numpy.lib.format.write_array(file, array, version=(1, 0))
