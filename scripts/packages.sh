#!/usr/bin/env bash
# packages.sh <stage>...: installs the packages of packages.txt that these stages need and that are
# missing. Exit code 2 if that cannot be done.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

if ! command -v dpkg-query >/dev/null; then
  echo "not a Debian system: the tools and libraries of scripts/packages.txt must be there" >&2
  exit 0
fi

missing=()
while read -r package stage; do
  [[ -z $package || $package == \#* || " $* " != *" $stage "* ]] && continue
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || status=none
  [[ $status == installed ]] || missing+=("$package")
done <packages.txt
[[ ${#missing[@]} -gt 0 ]] || exit 0

as_root=()
if [[ $(id -u) != 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "missing packages and neither root nor sudo: apt-get install ${missing[*]}" >&2
    exit 2
  fi
  as_root=(sudo)
fi
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q "$@" >&2
}

echo "installing ${missing[*]}" >&2
if ! apt update || ! apt install -y --no-install-recommends "${missing[@]}"; then
  echo "these packages could not be installed: ${missing[*]}" >&2
  exit 2
fi
