#!/usr/bin/env bash
# Strict mode inside other surroundings.
#   check_environment.sh <situation> <client> [library]
set -euo pipefail

situation=$1 client=$2 library=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ulimit -c 0
export ACLNN_CPU_STRICT_REPORT=$work/report

fail() {
  echo "$situation: $*" >&2
  cat "$work"/* >&2
  exit 1
}

run() { # <mode> <expected exit code> command...
  local mode=$1 expected=$2 status=0
  shift 2
  rm -f "$work/report"
  ACLNN_CPU_STRICT=$mode timeout 120 "$@" >"$work/stdout" 2>"$work/stderr" || status=$?
  ((status == expected)) || fail "exit code $status, must be $expected"
}

findings() { # <kind>: how many the report has
  if [[ -f $work/report ]]; then grep -c "^{\"kind\":\"$1\"" "$work/report" || true; else echo 0; fi
}

expect() { # <kind> <count>
  (($(findings "$1") == $2)) || fail "$(findings "$1") findings of $1, must be $2"
}

says() { grep -q "$1" "$work/stderr" "$work/stdout" || fail "does not say \"$1\""; }

case $situation in
  threads)
    run 1 0 "$client" threads fault
    expect host-access 9
    run abort 139 "$client" threads fault
    ;;
  null_pointer)
    run 1 5 "$client" null_pointer fault
    says "the client's own handler"
    expect host-access 0
    ;;
  handler_before)
    run 1 0 "$client" handler_before fault
    expect host-access 1
    run abort 5 "$client" handler_before fault
    says "the client's own handler"
    expect host-access 1
    ;;
  abort_handler)
    run abort 7 "$client" abort_handler fault
    expect unsynchronised 1
    ;;
  chain_over_finalize)
    run 1 5 "$client" chain_over_finalize fault
    says "the client's own handler"
    ;;
  report_file)
    export ACLNN_CPU_STRICT_REPORT=$work/no/such/folder
    run 1 0 "$client" fork fault
    says "cannot be written"
    export ACLNN_CPU_STRICT_REPORT=/dev/full
    run 1 0 "$client" report_file fault
    says "cannot be written"
    ;;
  relative_report_file)
    export ACLNN_CPU_STRICT_REPORT=report
    cd "$work"
    run 1 0 "$client" report_file fault
    expect host-access 1
    ;;
  path_that_is_not_utf8)
    # Longer than is printed, and with bytes that JSON may not have.
    folder=$work/$(printf 'a%.0s' {1..240})/$'\xff"\x01'
    mkdir -p "$folder"
    cp "$client" "$folder/client"
    run 1 0 "$folder/client" report_file fault
    expect host-access 1
    python3 -c 'import json,sys; frame = json.loads(open(sys.argv[1], "rb").read())["stack"][0]
assert frame.startswith("...") and "\ufffd\"\x01/client(" in frame and frame.endswith("]"), frame' \
      "$work/report" || fail "not the line expected"
    ;;
  bad_value)
    run yes 0 "$client" report_file fault
    says 'ACLNN_CPU_STRICT is "yes", must be 0, 1 or abort; it is off'
    expect host-access 0
    ;;
  small_stack)
    run 1 0 "$client" small_stack fault
    expect host-access 1
    ;;
  fork)
    run 1 0 "$client" fork fault
    expect host-access 3
    expect foreign-pointer 1
    grep -q "1 finding: 1 host-access" "$work/stderr" || fail "wrong summary of the parent"
    grep -q "3 findings: 2 host-access, 1 foreign-pointer" "$work/stderr" ||
      fail "wrong summary of the child"
    says "of the process that this one was forked from"
    ;;
  opened)
    run 1 0 "$client" "$library"
    expect host-access 1
    expect leak 1
    run abort 139 "$client" "$library"
    ;;
  ctypes)
    run 1 0 python3 "$client" "$library"
    expect host-access 1
    says end
    run abort 139 python3 "$client" "$library"
    expect host-access 1
    says "most recent call first" # faulthandler's traceback comes after the finding
    ;;
  gdb)
    run 1 0 gdb -nx -batch -ex run -ex backtrace -ex continue --args "$client" read fault
    says "received signal SIGSEGV"
    says "Read (fault="
    expect host-access 1
    ;;
  address_sanitizer)
    run 1 0 "$client" read fault
    expect host-access 1
    run abort 1 "$client" read fault
    expect host-access 1
    says "AddressSanitizer"
    ASAN_OPTIONS=allow_user_segv_handler=0 run 1 1 "$client" read fault
    says "was not installed"
    ;;
  address_space_limit)
    (
      ulimit -v 3000000
      run 1 0 "$client" read fault
    )
    expect host-access 1
    ;;
  heap_reuse)
    (
      ulimit -v 60000
      run abort 0 "$client" heap_reuse fault
    )
    says "the system refuses the address space"
    [[ ! -e $work/report ]] || fail "a correct program is reported"
    ;;
  no_memfd)
    LD_PRELOAD=$library run 1 0 "$client" read fault
    expect host-access 1
    LD_PRELOAD=$library run 1 0 "$client" write fault
    expect host-access 1
    ;;
  loader)
    export ACLNN_CPU_TEST_MODULE=$library
    run 1 0 "$client" loader fault
    (($(findings host-access) > 0)) || fail "no finding"
    ;;
  many_opened)
    run 1 0 "$client" many_opened fault
    says "refuses to open single blocks"
    (($(findings host-access) == 100)) || fail "not 100 findings"
    ;;
  abort_with_threads)
    run abort 134 "$client" abort_with_threads fault
    expect foreign-pointer 1
    expect host-access 0
    ;;
  signals)
    run 1 0 "$client" ignored_signal fault
    for mode in 1 abort; do
      for case in sent_signal null_pointer; do
        run "$mode" 139 "$client" "$case" fault
        [[ ! -s $work/report ]] || fail "$case is reported"
      done
      run "$mode" 5 "$client" handler_after fault
      [[ ! -s $work/report ]] || fail "a handler that came later is not respected"
    done
    ;;
  tail_of_the_page)
    run 1 0 "$client" tail_of_the_page fault
    expect host-access 1
    expect uninitialised 0
    ;;
  only_tensors)
    run 1 0 "$client" only_tensors fault
    expect leak 1
    says "1 finding: 1 leak"
    ;;
  *) fail "unknown situation" ;;
esac
