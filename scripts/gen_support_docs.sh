#!/usr/bin/env bash
# gen_support_docs.sh [--check] <aclnn-cpu>
#
# Writes the tables that the documents take from the library: support in both READMEs and on the
# operators' pages, environment variables in docs/environment.md. With --check changes nothing: exit code 1 if a table is not what
# the tool prints.
set -euo pipefail

check=
if [[ ${1:-} == --check ]]; then
  check=yes
  shift
fi
tool=$(readlink -f "${1:?the path of the built aclnn-cpu}")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# The tables show defaults.
unset "${!ACLNN_CPU_@}" "${!ASCEND_@}"

# `aclnn-cpu info --env` as a Markdown table.
environment_table() {
  printf '| variable | meaning | default |\n|---|---|---|\n'
  "$tool" info --env | awk '
    / is unset$/ { name = $1 }
    /; default: / {
      split(substr($0, 7), parts, "; default: ")
      printf "| `%s` | %s | %s |\n", name, parts[1], parts[2]
    }'
}

# Puts standard input between the two marker lines of a file.
replace() { # <file> <marker>
  local new
  new=$(mktemp)
  awk -v marker="$2" '
    FNR == NR { table = table $0 "\n"; next }
    index($0, "<!-- " marker ":end") { inside = 0; ++found }
    !inside { print }
    index($0, "<!-- " marker ":begin") { inside = 1; printf "%s", table }
    END { if (found != 1) exit 1 }' - "$1" >"$new" || {
    echo "$1 has no markers $2:begin and $2:end" >&2
    return 1
  }
  if [[ -z $check ]]; then
    cat "$new" >"$1"
  elif ! diff "$1" "$new"; then
    echo "$1 is not up to date: run scripts/gen_support_docs.sh on the built tool" >&2
    rm "$new"
    return 1
  fi
  rm "$new"
}

"$tool" support | replace README.md support
# The Chinese page explains the entries itself.
"$tool" support | sed '/^yes: works/,$d' | sed '$d' | replace README.zh-CN.md support
for page in src/opapi/*/README.md; do
  op=$(basename "${page%/README.md}")
  "$tool" support "$op" | sed 1,2d | replace "$page" support
done
environment_table | replace docs/environment.md environment
