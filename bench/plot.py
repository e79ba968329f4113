#!/usr/bin/env python3
"""Draws what `bench` measured of cases that differ only in the size of a cube.

usage: plot.py PICTURE.svg RESULTS.json...   one file per number of threads, of the same cases

Left: time per point against the edge of the volume, ours and PyTorch's. Right: how many times
faster than with the first file's threads. Needs matplotlib.
"""
import sys

import matplotlib.pyplot as plt

import table


def draw_volumes(axes, runs, sizes):
    edges = [size for size, _ in sizes]
    for run in runs:
        cases = {case["name"]: case for case in run["cases"]}
        threads = run["machine"]["threads"]
        for arm, style, label in (("ours", "o-", "aclnn-cpu"), ("torch", "s--", "PyTorch")):
            points = [(edge, table.medians(cases[name])[arm] / cases[name]["points"])
                      for edge, name in sizes if arm in cases[name]["arms"]]
            if points:
                axes.plot(*zip(*points), style, label=f"{label}, {threads} thread(s)")
    axes.set(xscale="log", yscale="log", xlabel="edge of the volume, voxels",
             ylabel="time per point, ns")
    axes.set_xticks(edges, map(str, edges))
    axes.minorticks_off()
    axes.set_yticks([1, 2, 5, 10, 20, 50, 100], map(str, (1, 2, 5, 10, 20, 50, 100)))
    axes.grid(alpha=0.3)
    axes.legend()


def draw_threads(axes, runs, sizes):
    threads = [run["machine"]["threads"] for run in runs]
    by_name = [{case["name"]: table.medians(case) for case in run["cases"]} for run in runs]
    for edge, name in sizes:
        times = [cases[name]["ours"] for cases in by_name]
        axes.plot(threads, [times[0] / time for time in times], "o-", label=f"{edge}^3")
    axes.plot(threads, [count / threads[0] for count in threads], ":", color="gray",
              label="proportional")
    axes.set(xlabel="threads", ylabel=f"times faster than with {threads[0]}")
    axes.set_xticks(threads)
    axes.grid(alpha=0.3)
    axes.legend()


def main(picture, paths):
    runs = [table.load(path) for path in paths]
    groups = table.cubes(runs[0])
    if not groups:
        sys.exit(f"{paths[0]}: no cases that differ only in the size of a cube")
    figure, axes = plt.subplots(len(groups), 2, figsize=(10, 4 * len(groups)), squeeze=False)
    for (left, right), (name, sizes) in zip(axes, groups.items()):
        left.set_title(table.short_name(name, markdown=False), fontsize=7)
        draw_volumes(left, runs, sizes)
        draw_threads(right, runs, sizes)
    figure.tight_layout()
    # Without the date, so that the same numbers give the same file.
    figure.savefig(picture, metadata={"Date": None} if picture.endswith(".svg") else None)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
