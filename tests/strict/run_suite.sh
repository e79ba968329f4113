#!/usr/bin/env bash
# All tests again under strict mode: none may have a finding, neither while it runs nor when it ends.
# Left out are limits of instructions, and the label `misuse`, which strict_misuse_table looks after.
#   run_suite.sh <build folder> [ctest arguments]
set -euo pipefail

build=$1
shift
report=$(mktemp)
trap 'rm -f "$report"' EXIT

# Findings end a test; those at the end of a process only show in the report.
ACLNN_CPU_STRICT=abort ACLNN_CPU_STRICT_REPORT=$report \
  ctest --test-dir "$build" -j2 --output-on-failure -LE '^(misuse|lint|instructions)$' "$@"
if [[ -s $report ]]; then
  echo "findings when processes ended:" >&2
  cut -c1-300 "$report" | sort | uniq -c >&2
  exit 1
fi
