#!/usr/bin/env python3
"""Compares two versions of the library by the JSON files of `bench`.

usage: compare.py BEFORE.json AFTER.json [--tolerance=0.05]

Every case is measured by the ratio of our time to that of a peer in the same process, so that the
machine's mood falls out: PyTorch if it is there, else the fill or copy. The interval is a bootstrap
of the medians (95 %). Exit code 1 if a case became slower by more than the tolerance for certain.
"""
import random
import statistics
import sys

import table

ROUNDS = 1000


def common_peer(before, after):
    for arm in ("torch", *table.FLOORS):
        if arm in before["arms"] and arm in after["arms"]:
            return arm
    sys.exit(f"{after['name']}: the files have no arm in common to compare with")


def resampled_ratio(case, peer, generator):
    def median(times):
        return statistics.median(generator.choices(times, k=len(times)))
    return median(case["arms"]["ours"]) / median(case["arms"][peer])


def interval(before, after):
    generator = random.Random(1)
    peer = common_peer(before, after)
    changes = sorted(resampled_ratio(after, peer, generator)
                     / resampled_ratio(before, peer, generator)
                     for _ in range(ROUNDS))
    return changes[ROUNDS // 40], changes[ROUNDS // 2], changes[-ROUNDS // 40]


def verdict(low, high, tolerance):
    if low > 1 + tolerance:
        return "slower"
    if high < 1 - tolerance:
        return "faster"
    return "same" if high < 1 + tolerance and low > 1 - tolerance else "unclear"


def main(before_path, after_path, tolerance):
    before = {case["name"]: case for case in table.load(before_path)["cases"]}
    slower = 0
    for case in table.load(after_path)["cases"]:
        if case["name"] not in before:
            continue
        low, middle, high = interval(before[case["name"]], case)
        word = verdict(low, high, tolerance)
        slower += word == "slower"
        print(f"{case['name']:<70} {middle:.3f} [{low:.3f}, {high:.3f}] {word}")
    return 1 if slower else 0


if __name__ == "__main__":
    options = [argument for argument in sys.argv[1:] if argument.startswith("--tolerance=")]
    files = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    if len(files) != 2:
        sys.exit(__doc__)
    allowed = float(options[0].split("=")[1]) if options else 0.05
    sys.exit(main(*files, allowed))
