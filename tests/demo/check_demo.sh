#!/usr/bin/env bash
# check_demo.sh <build folder>: what ./dev demo does with programs of the user's own. The script runs
# in a tree of its own, on the library that this build has made.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{tree/scripts,tree/build/release,tools,user}
cp "$root/dev" "$work/tree"
ln -s "$root/include" "$work/tree/include"
ln -s "$1"/{lib64,include-generated} "$work/tree/build/release"
# Nothing to install, nothing to build.
printf '#!/bin/sh\n' | tee "$work/tools/cmake" >"$work/tree/scripts/packages.sh"
chmod +x "$work/tools/cmake" "$work/tree/scripts/packages.sh"
export PATH=$work/tools:$PATH
unset CFLAGS CXXFLAGS
cd "$work/user"

die() {
  printf '%s\n' "$*" >&2
  exit 1
}
demo() { "$work/tree/dev" demo "$@" 2>log; }

# <program's text>: a C++ program that starts the library.
write() { printf '#include "acl/acl.h"\n#include <cstdio>\n%s\n' "$1" >program.cpp; }

write 'int main() { std::puts("first"); return aclInit(nullptr); }'
[[ $(demo program.cpp) == first ]] || die "a right program: $(cat log)"

# One that does not compile any more: the program from before must not run in its place.
write 'int main() { return aclInit(nowhere); }'
status=0
output=$(demo program.cpp) || status=$?
[[ $status == 1 && -z $output ]] || die "a wrong program: exit code $status, output '$output'"
grep -q nowhere log || die "the compiler's message is lost"

write 'int main() { return aclInit(nullptr) + 7; }'
status=0
demo program.cpp || status=$?
[[ $status == 7 ]] || die "exit code $status, must be the program's, 7"

# The compiler's own default standard, the mathematics library, the user's flags.
write 'int main() { if constexpr (__cplusplus >= 201703L) std::puts("default"); }'
[[ $(demo program.cpp) == default ]] || die "C++17: $(cat log)"
write 'int main() { std::printf("%ld", __cplusplus / 100); }'
[[ $(CXXFLAGS="-std=c++11 -Wall" demo program.cpp) == 2011 ]] || die "CXXFLAGS: $(cat log)"
mkdir own
echo '#define ROOT_OF(x) sqrt(x)' >own/own.h
cat >program.c <<'C'
#include <math.h>
#include <stdio.h>
#include "acl/acl.h"
#include "own.h"
int main(int argc, char** argv) { return (void)argv, printf("%.0f", ROOT_OF(80.0 + argc)) != 1; }
C
[[ $(CFLAGS=-Iown demo program.c) == 9 ]] || die "CFLAGS: $(cat log)"
