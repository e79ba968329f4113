#!/bin/bash
# Counts a case's instructions under callgrind and compares them with a limit.
#   check_instructions.sh <client> <case> <what> <limit>
# <what>: "kernel", one run of the operator's kernel, or "call", both phases and the
# synchronisation of a call that runs at once.
set -euo pipefail
shopt -s inherit_errexit  # a client that fails is not counted

client=$1
case=$2
what=$3
limit=$4

# Everything else differs from run to run: start-up measures clocks, waiting threads spin.
count() { # <calls> <function>
  local log
  log=$(ACLNN_CPU_NUM_THREADS=1 ACLNN_CPU_TARGET=avx2 valgrind --tool=callgrind \
    --callgrind-out-file=/dev/null --toggle-collect="$2" "$client" "$case" "$1" 2>&1)
  sed -n 's/.*Collected : \([0-9]*\).*/\1/p' <<<"$log"
}

if [[ $what == kernel ]]; then
  instructions=$(count 1 'aclnn_cpu::*::Plan::Run(*')
else
  calls=100
  instructions=$(($(count $calls '*::OneCall(*') / calls))
fi

echo "$case: $instructions instructions, limit $limit"
if ((instructions < limit / 2)); then
  echo "less than half the limit: what is counted has moved, or the limit is out of date" >&2
  exit 1
fi
if ((instructions > limit)); then
  echo "more than the limit: find out why, or raise it in tests/instructions/CMakeLists.txt" >&2
  exit 1
fi
