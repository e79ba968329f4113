#!/usr/bin/env bash
# Runs a client with its planted fault and without, and checks what strict mode says.
#   check_finding.sh <client> <case> <kind> <api> <argument> <exit code with abort> [not-off]
# `api` and `argument` are null where a finding has none. A finding made when the process ends does
# not change the exit code. With not-off the fault is not run without strict mode: a sanitizer would
# find it then.
set -euo pipefail

client=$1 case=$2 kind=$3 api=$4 argument=$5 abort_code=$6

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
report=$work/report.jsonl
ulimit -c 0

fail() {
  echo "$case: $*" >&2
  [[ -f $work/stderr ]] && cat "$work/stderr" >&2
  [[ -f $report ]] && cat "$report" >&2
  exit 1
}

run() { # <mode> fault|fixed; the exit code is in `status`
  rm -f "$report"
  status=0
  ACLNN_CPU_STRICT=$1 ACLNN_CPU_STRICT_REPORT=$report timeout 60 "$client" "$case" "$2" \
    2>"$work/stderr" || status=$?
}

quoted() {
  if [[ $1 == null ]]; then echo null; else echo "\"$1\""; fi
}

expect_one_finding() {
  [[ -f $report ]] || fail "no finding ($1)"
  (($(wc -l <"$report") == 1)) || fail "more than one finding ($1)"
  local start
  start="{\"kind\":\"$kind\",\"api\":$(quoted "$api"),\"argument\":$(quoted "$argument"),"
  [[ $(<"$report") == "$start"* ]] || fail "not the finding expected: $start"
  python3 - "$report" <<'PY' || fail "not the line that docs/strict-mode.md describes"
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    finding = json.loads(file.read())
assert list(finding) == ["kind", "api", "argument", "message", "allocation", "stack"], finding
assert len(finding["message"]) > 10 and "main" in finding["stack"][-1], finding
if finding["allocation"] is not None:
    assert int(finding["allocation"]["base"], 16) > 0 and finding["allocation"]["size"] > 0, finding
PY
}

run 1 fault
((status == 0)) || fail "exit code $status in report mode"
expect_one_finding "report mode"
grep -q "^==aclnn-cpu== $kind" "$work/stderr" || fail "no block on standard error"
grep -q "^==aclnn-cpu== strict mode: 1 finding: 1 $kind" "$work/stderr" || fail "no summary"

run abort fault
((status == abort_code)) || fail "exit code $status with abort, must be $abort_code"
expect_one_finding "abort mode"

for mode in 1 abort; do
  run "$mode" fixed
  ((status == 0)) || fail "exit code $status without the fault, mode $mode"
  [[ ! -s $work/stderr && ! -e $report ]] || fail "the corrected program is reported"
done

[[ ${7:-} == not-off ]] && exit 0
run "" fault
((status == 0)) || fail "exit code $status when strict mode is off"
[[ ! -s $work/stderr && ! -e $report ]] || fail "something is reported although strict mode is off"
