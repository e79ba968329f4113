#!/usr/bin/env bash
# check.sh: everything about the sources' text that a person should not have to argue about.
# Prints each finding; exit code 1 if there is one.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

failures=0
fail() {
  printf 'check.sh: %s\n' "$*" >&2
  failures=$((failures + 1))
}

list() { # tracked and new files that match the given patterns and exist
  git ls-files --cached --others --exclude-standard -- "$@" | while IFS= read -r file; do
    [[ -f $file ]] && printf '%s\n' "$file"
  done
}
mapfile -t sources < <(list '*.c' '*.cc' '*.cpp' '*.h' '*.hpp')
mapfile -t scripts < <(list dev .ci/run '*.sh')
mapfile -t build_files < <(list '*CMakeLists.txt' '*.cmake' '*.in' CMakePresets.json)
mapfile -t all < <(list)

scripts/format.sh --check || fail "not formatted: run ./dev format"

shellcheck "${scripts[@]}" || fail "shellcheck"

codespell --ignore-words=scripts/codespell_ignore.txt --ignore-regex='\bk[A-Z]\w*' \
  "${all[@]}" || fail "codespell"

if LC_ALL=C grep -nP '[^\x00-\x7F]' "${sources[@]}" "${scripts[@]}" "${build_files[@]}"; then
  fail "code must be plain ASCII"
fi

if grep -nE 'TODO|FIXME|GTEST_SKIP|DISABLED_' "${sources[@]}"; then
  fail "work left open"
fi

if grep -nE '[[:blank:]]+$' "${sources[@]}" "${scripts[@]}" "${build_files[@]}"; then
  fail "blanks at the end of a line"
fi

check_length() { # <most lines> <file>...
  local most=$1 file lines
  shift
  for file in "$@"; do
    lines=$(wc -l <"$file")
    ((lines <= most)) || fail "$file has $lines lines, $most at most"
  done
}
# The border between the layers: a layer includes what lies below it, an operator no other operator.
check_includes() { # <layer> <what it must not include>
  if list "src/$1/*" | xargs -r grep -nE "#include \"($2)/"; then
    fail "src/$1 includes a layer above it"
  fi
}
check_includes base 'simd|ascendcl|nnopbase|opapi|acl|aclnn|aclnnop'
check_includes simd 'ascendcl|nnopbase|opapi|acl|aclnn|aclnnop'
check_includes ascendcl 'simd|nnopbase|opapi|aclnn|aclnnop'
check_includes nnopbase 'simd|opapi|aclnnop'
for folder in src/opapi/*/; do
  op=$(basename "$folder")
  if grep -rnE '#include "opapi/[a-z0-9_]+/' "$folder" | grep -v "\"opapi/$op/"; then
    fail "$folder includes another operator"
  fi
done

check_length 400 "${sources[@]}"
check_length 150 CMakeLists.txt dev

[[ $failures == 0 ]]
