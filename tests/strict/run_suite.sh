#!/usr/bin/env bash
# All tests again under strict mode, those with the label `misuse` excepted (strict_misuse_table looks
# after them): none may have a finding, neither while it runs nor when it ends.
#   run_suite.sh <build folder> [ctest arguments]
set -euo pipefail

build=$1
shift
report=$(mktemp)
trap 'rm -f "$report"' EXIT

# Findings end a test; those at the end of a process only show in the report.
ACLNN_CPU_STRICT=abort ACLNN_CPU_STRICT_REPORT=$report \
  ctest --test-dir "$build" -j2 --output-on-failure -LE '^(misuse|lint)$' "$@"
if [[ -s $report ]]; then
  echo "findings when processes ended:" >&2
  cut -c1-300 "$report" | sort | uniq -c >&2
  exit 1
fi
