#!/usr/bin/env bash
# Runs the tests of misuse.txt in strict mode: each must pass and report the kinds that the table says.
#   check_misuse.sh <misuse.txt> <build folder>
set -euo pipefail

table=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
  echo "$*" >&2
  failures=$((failures + 1))
}

# True if `found` has all kinds of the list and no others; one with a question mark may be missing.
agrees() { # <found> <list>
  local kind
  for kind in ${2//,/ }; do
    [[ $kind == *\? || ,$1, == *,$kind,* ]] || return 1
  done
  for kind in ${1//,/ }; do
    [[ ,${2//\?/}, == *,$kind,* ]] || return 1
  done
}

check() { # <program> <filter> <kinds, sorted, separated by commas>
  local program kinds=
  program=$(find "$build" -name "$1" -type f -executable -print -quit)
  [[ -n $program ]] || { fail "no program $1"; return; }
  rm -f "$work/report"
  ACLNN_CPU_STRICT=1 ACLNN_CPU_STRICT_REPORT=$work/report timeout 300 \
    "$program" --gtest_filter="$2" >"$work/output" 2>&1 || fail "$1 $2 fails: $(tail -n 3 "$work/output")"
  grep -q '^\[  PASSED  \] [1-9]' "$work/output" || fail "$1 $2: no such test"
  if [[ -f $work/report ]]; then
    kinds=$(sed 's/^{"kind":"\([a-z-]*\)".*/\1/' "$work/report" | sort -u | paste -sd,)
  fi
  agrees "$kinds" "$3" || fail "$1 $2 reports '$kinds', expected '$3'"
}

while read -r program filter kinds; do
  [[ $program == \#* ]] || check "$program" "$filter" "$kinds"
done <"$table"
[[ $failures == 0 ]]
