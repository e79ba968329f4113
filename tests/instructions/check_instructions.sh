#!/bin/bash
# Counts a case's instructions under callgrind and compares them with a limit.
#   check_instructions.sh <client> <case> <what> <limit>
# <what>: "kernel", one run of the operator's kernel, or "call", both phases and the
# synchronisation of a call that runs at once.
set -euo pipefail

client=$1
case=$2
what=$3
limit=$4

count() { # <calls> [callgrind options]
  local calls=$1 log
  shift
  log=$(ACLNN_CPU_NUM_THREADS=1 ACLNN_CPU_TARGET=avx2 valgrind --tool=callgrind \
    --callgrind-out-file=/dev/null "$@" "$client" "$case" "$calls" 2>&1)
  sed -n 's/.*Collected : \([0-9]*\).*/\1/p' <<<"$log"
}

if [[ $what == kernel ]]; then
  # Waiting threads spin, so only what the kernel itself executes is the same in every run.
  instructions=$(count 1 --toggle-collect='aclnn_cpu::*::RunKernel(*')
else
  few=$(count 10)
  many=$(count 110)
  instructions=$(((many - few) / 100))
fi

echo "$case: $instructions instructions, limit $limit"
if ((instructions == 0)); then
  echo "nothing was counted" >&2
  exit 1
fi
if ((instructions > limit)); then
  echo "more than the limit: find out why, or raise it in tests/instructions/CMakeLists.txt" >&2
  exit 1
fi
