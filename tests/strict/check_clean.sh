#!/usr/bin/env bash
# A correct client must not be reported, neither while it runs nor when it ends.
#   check_clean.sh <client> <case>
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

ACLNN_CPU_STRICT=abort ACLNN_CPU_STRICT_REPORT=$work/report timeout 120 "$1" "$2" fixed \
  2>"$work/stderr" || { cat "$work/stderr" >&2; exit 1; }
if [[ -s $work/stderr || -e $work/report ]]; then
  cat "$work/stderr" >&2
  exit 1
fi
