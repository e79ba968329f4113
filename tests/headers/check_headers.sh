#!/usr/bin/env bash
# check_headers.sh compile <compiler> <language> <standard> <include folder> <generated folder>
#   Compiles each public header alone, then all of them, then under every include path in use.
# check_headers.sh functions <include folder> <function list>
#   Compares what the headers declare with the list of exported functions.
set -euo pipefail
export LC_ALL=C

failures=0
fail() {
  printf 'check_headers.sh: %s\n' "$*" >&2
  failures=$((failures + 1))
}

headers_in() { # <include folder> <part>...: headers by their name as an include
  (cd "$1" && find "${@:2}" -name '*.h' | sort)
}

compile() { # <text> <include path>...
  local text=$1 paths=()
  shift
  for path in "$@"; do paths+=(-I "$path"); done
  # A declaration follows because an empty translation unit is not valid C.
  printf '%s\nint translation_unit_is_not_empty;\n' "$text" |
    "$compiler" -x "$language" -std="$standard" -Wall -Wextra -Werror -pedantic -fsyntax-only \
      "${paths[@]}" -
}

check_compile() {
  compiler=$1 language=$2 standard=$3
  local include=$4 generated=$5 header text='' count=0
  while read -r header; do
    compile "#include \"$header\"" "$include" "$generated" || fail "$header alone"
    text+="#include \"$header\""$'\n'
    count=$((count + 1))
  done < <(headers_in "$include" acl aclnn aclnnop; headers_in "$generated" aclnnop)
  ((count >= 22)) || fail "only $count headers found"
  compile "$text$text" "$include" "$generated" || fail "all headers, twice"

  compile '#include "acl.h"' "$include/acl" || fail "acl.h with its folder as only path"
  for header in acl_meta.h aclnn_base.h opdev/op_errno.h; do
    compile "#include \"$header\"" "$include" "$include/aclnn" || fail "$header by its bare name"
  done
  for header in "$include"/aclnnop/*.h "$generated"/aclnnop/*.h; do
    header=$(basename "$header")
    compile "#include \"$header\"" "$include" "$include/aclnnop" "$generated/aclnnop" \
      "$generated" || fail "$header by its bare name"
  done
  compile '#include "acl/acl.h"
#include "acl.h"
#include "aclnn/acl_meta.h"
#include "acl_meta.h"' "$include" "$include/acl" "$include/aclnn" "$include/aclnnop" ||
    fail "the same header under two names"
}

declared() { # <header>...: public functions
  sed -nE 's/^(ACL_FUNC_VISIBILITY|ACLNN_API) [^(]*\b([aA]cl[A-Za-z0-9]+)\(.*/\2/p' "$@" | sort
}

listed() { # <libraries>: functions that the list gives to exactly these
  awk -v libs="$1" '$2 == libs {print $1}' "$list" | grep -v HugeMem || true
}

same() { # <what> <declared> <listed>
  diff <(printf '%s\n' "$2") <(printf '%s\n' "$3") || fail "$1: '<' is declared, '>' is listed"
}

check_functions() {
  local include=$1 header functions count words
  list=$2
  sort -c "$list" || fail "$list is not sorted"
  count=$(grep -cE '^(InitHugeMemThreadLocal|UnInitHugeMemThreadLocal|ReleaseHugeMem) nnopbase$' "$list")
  ((count == 3)) || fail "$list has $count of the 3 functions that no header declares"

  # Every mark stands before a declaration that the expression of declared() reads.
  count=$(grep -rhE '^(ACL_FUNC_VISIBILITY|ACLNN_API) ' "$include" | wc -l)
  words=$(find "$include" -name '*.h' -exec cat {} + | declared | wc -l)
  ((count == words)) || fail "$count marked declarations, $words of them readable"

  same acl "$(declared "$include"/acl/*.h)" "$(listed ascendcl,acl_rt)"
  same aclnn "$(declared "$include"/aclnn/*.h)" "$(listed nnopbase)"
  same aclnnop "$(declared "$include"/aclnnop/*.h)" \
    "$({ listed opapi,aclnn_ops_train,opapi_nn; listed opapi,aclnn_ops_train,opapi_cv; } | sort)"

  # Tools read the parameters of operators with an expression like this one.
  for header in "$include"/aclnnop/aclnn_*.h; do
    [[ $header == */aclnn_util.h ]] && continue
    functions=$(sed 's,//.*,,' "$header" | tr '\n' ' ' |
      grep -oE 'aclnnStatus +aclnn\w+GetWorkspaceSize *\([^;()]*uint64_t\* workspaceSize, *aclOpExecutor\*\* executor\);|aclnnStatus +aclnn\w+ *\(void\* workspace, uint64_t workspaceSize, *aclOpExecutor\* executor, *(const )?aclrtStream stream\);' |
      wc -l)
    ((functions == 2)) || fail "$header: $functions of the two phases are in the plain style"
  done
}

check=$1
shift
"check_$check" "$@"
[[ $failures == 0 ]]
