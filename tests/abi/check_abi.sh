#!/usr/bin/env bash
# check_abi.sh <check> <lib64 folder> <static library of all objects> <operator stem>...
set -euo pipefail

check=$1 lib64=$2 objects=$3
shift 3
operators=("$@")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
list=$root/cmake/public_functions.txt
core=$lib64/libaclnn_cpu.so.0
export LC_ALL=C

names() { # [library]: public functions, of one of CANN's libraries or all
  awk -v lib="${1:-}" '/^[^#]/ && (lib == "" || index("," $2 ",", "," lib ",")) {print $1}' "$list" |
    sort
}

# Exported by the core although it is in no public header: what the aclnn-cpu tool asks.
private=aclnn_cpu_describe

exported() { # <file>: "<type> <name>" of each symbol a client can see
  nm -D --defined-only "$1" 2>/dev/null | awk '{print $2, $3}' | sort
}

same() { # <what> <expected> <found>
  if ! diff <(printf '%s\n' "$2") <(printf '%s\n' "$3"); then
    echo "$1: '<' is expected, '>' is there" >&2
    return 1
  fi
}

check_core() {
  same "$core" "$( (names | sed 'p; s/^/aclnn_cpu_/'; echo "$private") |
    sed 's/^/T /' | sort)" "$(exported "$core")"
}

# Tools look for operators with `nm -D`, so each name must be an ordinary function there too.
check_forwarding() {
  local lib
  for lib in ascendcl acl_rt nnopbase opapi opapi_nn opapi_cv opapi_math aclnn_ops_train \
    aclnn_ops_infer aclnn_math; do
    same "lib$lib.so" "$(names "$lib" | sed 's/^/T /')" "$(exported "$lib64/lib$lib.so")"
  done
}

# A public function that the list lacks would be hidden by the version script without a word.
check_hidden() {
  same "functions with default visibility" "$( (names; echo "$private") | sort)" "$(readelf -sW "$objects" |
    awk '$4 == "FUNC" && $5 == "GLOBAL" && $6 == "DEFAULT" && $7 != "UND" {print $8}' | sort -u)"
}

# Each exported operator is declared by the header of an operator folder.
check_operators() {
  local stem declared
  declared=$(for stem in "${operators[@]}"; do
    [[ -f $root/src/opapi/$stem/kernel.cc ]] || continue
    grep -oE '\baclnn[A-Z][A-Za-z0-9]*\(' "$root/include/aclnnop/aclnn_$stem.h" | tr -d '('
  done | sort -u)
  same "operators" "$declared" "$(names opapi)"
}

check_dependencies() {
  local lib needed
  needed=$(readelf -dW "$core" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
  if grep -vE '^(libstdc\+\+|libgcc_s|libm|libc|libhwy|ld-linux.*)\.so\.' <<<"$needed"; then
    echo "$core needs more than the system's libraries" >&2
    return 1
  fi
  for lib in "$lib64"/lib*.so; do
    [[ $lib == */libaclnn_cpu.so ]] && continue
    same "NEEDED, SONAME, RUNPATH of $lib" "NEEDED libaclnn_cpu.so.0
RUNPATH \$ORIGIN
SONAME $(basename "$lib")" "$(readelf -dW "$lib" |
      sed -nE 's/.*\((NEEDED|SONAME|RUNPATH)\).*\[(.*)\]/\1 \2/p' | sort)"
  done
  if ldd "$lib64"/lib*.so | grep 'not found'; then
    return 1
  fi
}

# Threads may use the library until the process is gone, so it has no object whose destructor runs
# at exit or at a thread's end, and it may be loaded by anything, so no constructor either.
check_static_objects() {
  local entries
  if nm -D --undefined-only "$core" | grep -E '__cxa_(thread_)?atexit'; then
    echo "$core registers destructors of static or thread_local objects" >&2
    return 1
  fi
  # One entry is the compiler's own (frame_dummy).
  entries=$((16#$(readelf -SW "$core" | sed -nE 's/.* \.init_array +INIT_ARRAY +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+).*/\1/p') / 8))
  if ((entries != 1)); then
    echo "$core has $entries initialisers, 1 expected:" >&2
    nm "$core" | grep _GLOBAL__sub_I_ >&2
    return 1
  fi
}

"check_$check"
