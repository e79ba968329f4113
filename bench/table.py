#!/usr/bin/env python3
"""Prints what `bench` measured: one line per case, the thread counts side by side.

usage: table.py RESULTS.json...      one file per number of threads, of the same cases
"""
import json
import statistics
import sys

FLOORS = ("fill", "fill streaming", "copy and read")


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def medians(case):
    return {arm: statistics.median(times) for arm, times in case["arms"].items()}


def floor_of(arms):
    """The best way of moving the bytes; memset is shown beside it, not counted."""
    present = [arms[name] for name in FLOORS if name in arms]
    return min(present) if present else None


def ratio(numerator, denominator, form="{:.2f}"):
    return form.format(numerator / denominator) if numerator and denominator else "-"


def columns(case, machine):
    arms = medians(case)
    ours = arms["ours"]
    cells = [
        f"{ours / 1000:.1f}",
        ratio(arms.get("torch"), ours, "{:.1f}"),
        ratio(ours, floor_of(arms)),
        ratio(ours, arms.get("memset")),
        f"{case['bytes'] / ours:.1f}",
    ]
    work = case["points"] or case["bytes"]
    cells.append(f"{ours * machine['ghz'] / work:.2f}" if work else "-")
    return cells


def main(paths):
    runs = [load(path) for path in paths]
    machine = runs[0]["machine"]
    print(f"{machine['cpu']}, {machine['ghz']:.2f} GHz, last-level cache "
          f"{machine['last_level_cache_bytes'] / 2**20:.0f} MiB, "
          f"PyTorch {machine['torch'] or 'not installed'}")
    print("Medians. us: ours; torch: times faster than PyTorch; floor, memset: times the time of "
          "the fastest\nfill or copy, of memset; cyc: cycles per point, or per byte\n")
    head = ["us", "torch", "floor", "memset", "GB/s", "cyc"]
    titles = "".join(f" |{run['machine']['threads']:>3}T" + "".join(f"{h:>9}" for h in head)[4:]
                     for run in runs)
    width = max(len(case["name"]) for case in runs[0]["cases"])
    print(" " * width + titles)
    by_name = [{case["name"]: case for case in run["cases"]} for run in runs]
    for case in runs[0]["cases"]:
        line = f"{case['name']:<{width}}"
        for run, cases in zip(runs, by_name):
            same = cases.get(case["name"])
            cells = columns(same, run["machine"]) if same else ["-"] * len(head)
            line += " |" + "".join(f"{cell:>9}" for cell in cells)
        print(line)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
