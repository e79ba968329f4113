#!/usr/bin/env python3
"""Prints what `bench` measured: one line per case, the thread counts side by side.

usage: table.py [--markdown] RESULTS.json...   one file per number of threads, of the same cases

Where there are three cases or more that differ only in the size of a cube, a second table has time
against volume, and by how much more threads are faster. --markdown: both as docs/performance.md has
them.
"""
import json
import re
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


def print_table(head, rows, markdown):
    """The first column is text, the others are numbers."""
    if markdown:
        for cells in (head, ["---"] * len(head), *rows):
            print("| " + " | ".join(cells) + " |")
        return
    widths = [max(map(len, column)) for column in zip(head, *rows)]
    for cells in (head, *rows):
        print("  ".join(cell.rjust(width) if i else cell.ljust(width)
                        for i, (cell, width) in enumerate(zip(cells, widths))))


def short_name(name, markdown):
    """Without what is the same for all cases of a table in the document."""
    if not markdown:
        return name
    name = name.split("/", 1)[1].replace("/bilinear/zeros", "")
    return f"`{name}`"


def case_table(runs, markdown):
    names = ["us", "torch", "floor"] + ([] if markdown else ["memset", "GB/s", "cyc"])
    head = ["case"] + [f"{name}, {run['machine']['threads']}T" if i == 0 else name
                       for run in runs for i, name in enumerate(names)]
    by_name = [{case["name"]: case for case in run["cases"]} for run in runs]
    rows = []
    for case in runs[0]["cases"]:
        row = [short_name(case["name"], markdown)]
        for run, cases in zip(runs, by_name):
            same = cases.get(case["name"])
            cells = columns(same, run["machine"]) if same else ["-"] * 6
            row += cells[:len(names)]
        rows.append(row)
    print_table(head, rows, markdown)


def cubes(run):
    """Cases that differ only in the size of a cube of voxels and points, three or more: for the name
    without the size the pairs of size and whole name."""
    groups = {}
    for case in run["cases"]:
        match = re.search(r"d(\d+)h\1w\1/gd\1h\1w\1", case["name"])
        if match:
            name = case["name"].replace(match.group(), "d*h*w*/gd*h*w*")
            groups.setdefault(name, []).append((int(match.group(1)), case["name"]))
    return {name: sorted(sizes) for name, sizes in groups.items() if len(sizes) > 2}


def volume_tables(runs, markdown):
    by_name = [{case["name"]: case for case in run["cases"]} for run in runs]
    first = runs[0]["machine"]["threads"]
    head = ["size"]
    for i, run in enumerate(runs):
        threads = f"{run['machine']['threads']}T"
        head += [f"us, {threads}", f"ns per point, {threads}"]
        head += [f"{threads} against {first}T"] if i else []
    for name, sizes in cubes(runs[0]).items():
        rows = []
        for size, full_name in sizes:
            row = [str(size)]
            for i, cases in enumerate(by_name):
                if full_name not in cases:
                    row += ["-"] * (3 if i else 2)
                    continue
                ours = medians(cases[full_name])["ours"]
                row += [f"{ours / 1000:.0f}", f"{ours / cases[full_name]['points']:.2f}"]
                row += [ratio(medians(by_name[0][full_name])["ours"], ours)] if i else []
            rows.append(row)
        print(f"\n{short_name(name, markdown)}\n")
        print_table(head, rows, markdown)


def main(paths, markdown):
    runs = [load(path) for path in paths]
    machine = runs[0]["machine"]
    if not markdown:
        print(f"{machine['cpu']}, {machine['ghz']:.2f} GHz, last-level cache "
              f"{machine['last_level_cache_bytes'] / 2**20:.0f} MiB, "
              f"PyTorch {machine['torch'] or 'not installed'}")
        print("Medians. us: ours; torch: times faster than PyTorch; floor, memset: times the time "
              "of the\nfastest fill or copy, of memset; cyc: cycles per point, or per byte\n")
    case_table(runs, markdown)
    volume_tables(runs, markdown)


if __name__ == "__main__":
    files = [argument for argument in sys.argv[1:] if argument != "--markdown"]
    if not files:
        sys.exit(__doc__)
    main(files, len(files) < len(sys.argv) - 1)
