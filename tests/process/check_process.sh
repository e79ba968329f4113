#!/bin/bash
# Runs a client program in one situation and checks how and when its process ends.
#   check_process.sh <client> <situation>
set -euo pipefail

client=$1
situation=$2

# Far above what an exit that does not wait takes, far below the work that return_task_running
# leaves behind.
at_once_us=1000000

fail() {
  echo "$situation: $*" >&2
  exit 1
}

status=0
output=$(timeout 120 "$client" "$situation") || status=$?
ended=${EPOCHREALTIME/[.,]/}
echo "$output"

expected=0
[[ $situation == pthread_exit ]] && expected=7
((status == expected)) || fail "exit status is $status, must be $expected"

case $situation in
  return_*)
    returned=${output##*main returns at }
    waited=$((ended - returned))
    ((waited < at_once_us)) || fail "the process ended $waited us after main returned"
    ;;
  static_destructor)
    [[ $output == *"destructor ran"* ]] || fail "the static destructor did not run"
    ;;
esac
