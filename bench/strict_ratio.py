#!/usr/bin/env python3
"""What strict mode costs: each case of `bench` with ACLNN_CPU_STRICT=1 and without, in turn.

usage: strict_ratio.py BENCH [--filter=TEXT] [--rounds=3]

BENCH is the program that `./dev bench` builds. Prints per case our time without and with strict
mode and their ratio (medians over the rounds, CPU time at one thread), then the median and the
largest ratio of all cases. Findings are expected and not shown: the peers of a case touch device
memory as the host. The first touch opens it, so it happens before anything is timed.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile


def run_once(args, strict):
    environment = {**os.environ, "ACLNN_CPU_NUM_THREADS": "1", "ACLNN_CPU_STRICT": strict}
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([args.bench, out.name, f"--filter={args.filter}",
                        "--benchmark_min_time=0.005", "--benchmark_repetitions=3"],
                       env=environment, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        with open(out.name, encoding="utf-8") as file:
            cases = json.load(file)["cases"]
    return {case["name"]: statistics.median(case["arms"]["ours"]) for case in cases
            if "ours" in case["arms"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bench")
    parser.add_argument("--filter", default="")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    times = {"0": {}, "1": {}}
    for _ in range(args.rounds):
        for strict, cases in times.items():
            for name, time in run_once(args, strict).items():
                cases.setdefault(name, []).append(time)
    ratios = []
    print("| case | us, off | us, on | ratio |\n|---|---|---|---|")
    for name, off_times in times["0"].items():
        off = statistics.median(off_times) / 1e3
        on = statistics.median(times["1"][name]) / 1e3
        ratios.append(on / off)
        print(f"| `{name}` | {off:.1f} | {on:.1f} | {on / off:.2f} |")
    if not ratios:
        sys.exit("no case has that text in its name")
    print(f"\n{len(ratios)} cases: median {statistics.median(ratios):.2f}, "
          f"largest {max(ratios):.2f}")


if __name__ == "__main__":
    main()
