#!/usr/bin/env bash
# Strict mode on and off in turn, several rounds; prints for each call of the list the medians over
# the rounds in nanoseconds and their ratio.
#   measure_overhead.sh <client> [rounds]
set -euo pipefail

client=$1 rounds=${2:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for ((round = 0; round < rounds; ++round)); do
  env -u ACLNN_CPU_STRICT "$client" >>"$work/off"
  ACLNN_CPU_STRICT=1 "$client" >>"$work/on"
done

median() { # <file> <name>
  grep -F "$2" "$1" | awk '{print $NF}' | sort -n | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'
}

sed 's/ *[0-9]*$//' "$work/off" | sort -u | while IFS= read -r name; do
  off=$(median "$work/off" "$name")
  on=$(median "$work/on" "$name")
  awk -v n="$name" -v a="$off" -v b="$on" 'BEGIN {printf "%-34s %10d %10d %8.2f\n", n, a, b, b / a}'
done
