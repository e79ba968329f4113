#!/usr/bin/env bash
# format.sh: formats all C and C++ files. format.sh --check: only reports, exit code 1 if one differs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

arguments=(-i)
[[ ${1:-} == --check ]] && arguments=(--dry-run -Werror)
git ls-files -z --cached --others --exclude-standard -- '*.c' '*.cc' '*.cpp' '*.h' '*.hpp' |
  while IFS= read -r -d '' file; do
    [[ -f $file ]] && printf '%s\0' "$file"
  done | xargs -0 -r clang-format "${arguments[@]}"
