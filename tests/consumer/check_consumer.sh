#!/usr/bin/env bash
# check_consumer.sh <check> <build folder>: installs to a temporary prefix, moves that, and builds
# and runs client programs against it, outside the source and build trees.
set -euo pipefail

check=$1 build=$2
clients=$(cd "$(dirname "${BASH_SOURCE[0]}")/clients" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset CPATH CPLUS_INCLUDE_PATH C_INCLUDE_PATH LIBRARY_PATH LD_LIBRARY_PATH DESTDIR

cmake --install "$build" --prefix "$work/first" >install.log || { cat install.log; exit 1; }
# Nothing installed may remember where it was installed, but for set_env.sh.
mv "$work/first" "$work/home"
home=$work/home
includes=(-I"$home/include" -I"$home/include/aclnn" -I"$home/include/aclnnop")
all_names=(ascendcl acl_rt nnopbase opapi opapi_nn opapi_cv opapi_math aclnn_ops_train
  aclnn_ops_infer aclnn_math)

die() {
  printf '%s: %s\n' "$check" "$*" >&2
  exit 1
}

c99() { gcc -std=c99 -Wall -Wextra -Werror -pedantic "${includes[@]}" "$@"; }
cxx11() { g++ -std=c++11 -Wall -Wextra -Werror -pedantic "${includes[@]}" -x c++ "$1" -x none "${@:2}"; }

linkers() {
  local name
  for name in bfd gold lld mold; do
    if command -v "ld.$name" >/dev/null; then echo "$name"; fi
  done
}

expect_output() { # <client name> <command>...
  local name=$1 expected found
  shift
  case $name in
    pool) expected="1 1 2 2 1 1 2 2" ;;
    grid) expected="1 1 1 1 1 1 1 1 | 4 8 16" ;;
  esac
  found=$("$@") || die "$name: exit code $?"
  [[ $found == "$expected" ]] || die "$name printed '$found', expected '$expected'"
}

# What a client asks the loader for: CANN's names and the C and C++ run time, without versions.
expect_needed() { # <binary>
  local name needed
  needed=$(readelf -dW "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
  for name in $needed; do
    case $name in
      libc.so.* | libstdc++.so.* | libgcc_s.so.* | libm.so.* | ld-linux*) ;;
      *)
        name=${name#lib}
        [[ " ${all_names[*]} " == *" ${name%.so} "* ]] || die "$1 needs lib$name"
        ;;
    esac
  done
  if nm -D --undefined-only "$1" | grep -E ' acl.*@'; then die "$1 asks for versioned names"; fi
}

# <client> <libraries>: the link lines of CANN's documentation and build scripts.
link_lines() {
  cat <<'TXT'
pool -lopapi_nn -lopapi_math -lascendcl -lnnopbase
pool -lopapi_nn -lopapi_math -lacl_rt -lnnopbase
grid -lopapi_cv -lascendcl -lnnopbase
grid -lopapi_cv -lacl_rt -lnnopbase
pool -lascendcl -lnnopbase -lopapi
grid -lascendcl -lnnopbase -lopapi
pool -laclnn_ops_train -lnnopbase -lascendcl
grid -laclnn_ops_infer -laclnn_math -laclnn_ops_train -lnnopbase -lascendcl
grid -lopapi -lopapi_nn -lopapi_cv -lopapi_math -lascendcl -lnnopbase -lacl_rt
TXT
}

# <linker> <client> <options and libraries>...: builds as C99 and as C++11, runs both.
build_and_run() {
  local linker=$1 name=$2 compile
  shift 2
  for compile in c99 cxx11; do
    "$compile" "$clients/$name.c" -fuse-ld="$linker" -o client -L"$home/lib64" "$@" ||
      die "$compile $name, $linker $*"
    expect_needed client
    LD_LIBRARY_PATH=$home/lib64 expect_output "$name" ./client
  done
}

check_link_lines() {
  local linker name options
  for linker in $(linkers); do
    while read -r name options; do
      # shellcheck disable=SC2086  # options are words
      build_and_run "$linker" "$name" $options
    done < <(link_lines)
    build_and_run "$linker" pool -Wl,--as-needed -lopapi -lopapi_math -lascendcl -lnnopbase -lacl_rt
    build_and_run "$linker" grid -Wl,--no-undefined -lopapi -lascendcl -lnnopbase
    build_and_run "$linker" grid -Wl,--no-allow-shlib-undefined -lopapi -lascendcl -lnnopbase
    build_and_run "$linker" pool -no-pie -Wl,-z,now -lopapi -lascendcl -lnnopbase
  done
}

# A client may be a library itself, linked so that every name must be found.
check_shared_clients() {
  local linker
  for linker in $(linkers); do
    c99 -fPIC -shared -Dmain=run_client "$clients/grid.c" -fuse-ld="$linker" -o libclient.so \
      -L"$home/lib64" -Wl,-rpath,"$home/lib64" -Wl,--no-undefined -lopapi_cv -lascendcl -lnnopbase
    expect_needed libclient.so
    printf 'int run_client(int, char**);\nint main(int n, char** v) { return run_client(n, v); }\n' |
      gcc -x c - -x none -fuse-ld="$linker" -o client -L. -lclient -Wl,-rpath,"$work"
    expect_output grid ./client
  done
}

check_full_paths() {
  local lib=$home/lib64
  cxx11 "$clients/pool.c" -o client "$lib"/lib{ascendcl,nnopbase,opapi_math,opapi_nn}.so
  expect_needed client
  LD_LIBRARY_PATH=$lib expect_output pool ./client
  c99 "$clients/grid.c" -o client "$lib"/lib{acl_rt,nnopbase,opapi_math,opapi_cv}.so \
    -Wl,-rpath,"$lib"
  expect_needed client
  expect_output grid ./client
}

configure_and_build() { # <source folder> [cmake arguments]
  if ! { cmake -S "$1" -B out -G Ninja "${@:2}" && cmake --build out; } >log 2>&1; then
    cat log
    die "$1 does not build"
  fi
}

check_find_package() {
  local prefix
  for prefix in "$home" "$home/lib64/cmake"; do
    rm -rf out
    configure_and_build "$clients/find_package" -DCMAKE_PREFIX_PATH="$prefix"
    expect_output pool out/pool
    expect_output grid out/grid
    expect_needed out/pool
    expect_needed out/grid
  done
}

check_official_sample() {
  configure_and_build "$clients/sample" -DASCEND_PATH="$home"
  LD_LIBRARY_PATH=$home/lib64 expect_output pool out/bin/pool
  rm -rf out
  ASCEND_CUSTOM_PATH=$home configure_and_build "$clients/sample"
  LD_LIBRARY_PATH=$home/lib64 expect_output pool out/bin/pool
}

check_pkg_config() {
  local -a flags
  export PKG_CONFIG_PATH=$home/lib64/pkgconfig
  read -r -a flags < <(pkg-config --cflags --libs aclnn_cpu)
  gcc -std=c99 "$clients/grid.c" -o client "${flags[@]}"
  expect_needed client
  LD_LIBRARY_PATH=$home/lib64 expect_output grid ./client
  [[ $(pkg-config --modversion aclnn_cpu) == *.*.* ]] || die "no version"
}

# Loaders that open one library and look up everything, helpers included, through its handle.
check_dlopen() {
  local name
  c99 -D_GNU_SOURCE "$clients/load.c" -o load -ldl
  for name in "${all_names[@]}"; do
    expect_output pool ./load "$home/lib64/lib$name.so"
    LD_LIBRARY_PATH=$home/lib64 expect_output pool ./load "lib$name.so"
  done
}

# An exception inside the library, which catches it, in processes that have loaded libstdc++ only
# with the library (C) and before it (C++).
check_exceptions() {
  local name compile
  for compile in c99 cxx11; do
    "$compile" "$clients/out_of_memory.c" -D_GNU_SOURCE -fexceptions -rdynamic -o client -ldl
    for name in "${all_names[@]}"; do
      ./client "$home/lib64/lib$name.so" || die "$compile: lib$name.so, exit code $?"
    done
  done
}

# Binaries made with CANN's libraries start on ours and the other way round. Libraries of the same
# file names that define the same functions stand for CANN's.
check_compiled_elsewhere() {
  local name symbol
  mkdir elsewhere
  for name in "${all_names[@]}"; do
    for symbol in $(nm -D --defined-only "$home/lib64/lib$name.so" 2>/dev/null | cut -d' ' -f3); do
      echo "void $symbol(void); void $symbol(void) {}"
    done | gcc -shared -fPIC -x c - -o "elsewhere/lib$name.so" -Wl,-soname,"lib$name.so"
  done
  c99 "$clients/pool.c" -o theirs -Lelsewhere -lopapi -lascendcl -lnnopbase
  LD_BIND_NOW=1 LD_LIBRARY_PATH=$home/lib64 expect_output pool ./theirs
  c99 "$clients/pool.c" -o ours -L"$home/lib64" -lopapi -lascendcl -lnnopbase
  LD_BIND_NOW=1 LD_LIBRARY_PATH=elsewhere ./ours --only-start || die "does not start elsewhere"
}

check_set_env() {
  local place
  mkdir "with blank"
  ln -s "$home" "with blank/toolkit"
  for place in "$home" "$work/with blank/toolkit"; do
    # shellcheck disable=SC2016  # for the inner bash
    # Both variables and shell options of the caller are looked at, unset variables are errors.
    env -u LD_LIBRARY_PATH -u PYTHONPATH -u CMAKE_PREFIX_PATH -u PKG_CONFIG_PATH place="$place" \
      bash -euc '
        before=$(set +o)
        path=$PATH
        . "$place/set_env.sh"
        . "$place/set_env.sh"
        [[ $(set +o) == "$before" ]]
        [[ $PATH == "$place/bin:$path" && $LD_LIBRARY_PATH == "$place/lib64" ]]
        [[ $CMAKE_PREFIX_PATH == "$place/lib64/cmake" ]]
        [[ $PKG_CONFIG_PATH == "$place/lib64/pkgconfig" ]]
        [[ -z ${PYTHONPATH:-} ]]
        [[ $ASCEND_HOME_PATH == "$place" && $ASCEND_TOOLKIT_HOME == "$place" ]]
        [[ -d $ASCEND_OPP_PATH ]]
        LD_LIBRARY_PATH=/a:$place/lib64:/b:$place/lib64:/c
        . "$place/set_env.sh"
        [[ $LD_LIBRARY_PATH == "$place/lib64:/a:/b:/c" ]]
        [[ -z $(declare -F) && -z $(compgen -v _aclnn_cpu || true) ]]
      ' || die "set_env.sh of $place"
  done
  # shellcheck source=/dev/null
  (. "$home/set_env.sh" && c99 "$clients/grid.c" -o client -L"$ASCEND_HOME_PATH/lib64" -lopapi \
    -lascendcl -lnnopbase && expect_output grid ./client) || die "a client after set_env.sh"
}

# Shells that do not tell a sourced file its place find the tree where it was installed, and say so if
# it is no longer there.
check_set_env_dash() {
  local place="$work/it's here" message
  # shellcheck disable=SC2016  # for the inner shell
  if dash -c '. "$0/set_env.sh"' "$home" 2>log; then die "a moved tree is not noticed"; fi
  message=$(<log)
  [[ $message == *"$work/first was moved; source this file from bash or zsh"* ]] || die "$message"
  cmake --install "$build" --prefix "$place" >log
  # shellcheck disable=SC2016  # for the inner shell
  env -u LD_LIBRARY_PATH -u CMAKE_PREFIX_PATH dash -euc '
    . "$0/set_env.sh"
    . "$0/set_env.sh"
    test "$ASCEND_HOME_PATH" = "$0"
    test "$ASCEND_OPP_PATH" = "$0/opp"
    test "$LD_LIBRARY_PATH" = "$0/lib64"
    test "$CMAKE_PREFIX_PATH" = "$0/lib64/cmake"
  ' "$place" || die "set_env.sh in dash"
}

check_tree() {
  local path
  for path in include/acl/acl.h include/aclnn/acl_meta.h include/aclnnop/aclnn_util.h \
    include/aclnnop/level2/aclnn_grid_sampler3d_backward.h include/aclnnop/aclnn_ops_nn.h \
    lib64/libaclnn_cpu.so.0 set_env.sh bin/aclnn-cpu runtime compiler opp; do
    [[ -e $home/$path ]] || die "$path is not installed"
  done
  if grep -rl -e "$work" -e "$build" "$home/include" "$home/lib64/cmake" "$home/lib64/pkgconfig"; then
    die "installed files name a place of this machine"
  fi
  if readelf -dW "$home"/lib64/*.so* "$home"/bin/* | grep -E '(RPATH|RUNPATH)' |
    grep -vF -e "[\$ORIGIN]" -e "[\$ORIGIN/../lib64]"; then
    die "a library search path is not relative"
  fi
  "$home/bin/aclnn-cpu" info | grep -F "$home/lib64/libaclnn_cpu.so.0" >/dev/null ||
    die "aclnn-cpu does not name the library of its own tree"
}

# The programs of examples/, compiled as in README: each ends with 0, and the operators' two print
# the result that ./dev demo promises.
check_examples() {
  local example root op
  root=$(cd "$clients/../../.." && pwd)
  for example in "$root"/examples/*.c "$root"/examples/*.cpp; do
    op=$(basename "${example%.*}")
    case $example in
      *.c) c99 "$example" -o example -L"$home/lib64" -lopapi -lascendcl -lnnopbase -ldl ;;
      *) cxx11 "$example" -o example -L"$home/lib64" -lopapi -lascendcl -lnnopbase -ldl ;;
    esac
    LD_LIBRARY_PATH=$home/lib64 ./example >"output-$op" || die "$op: exit code $?"
  done
  tail -q -n 1 output-adaptive_avg_pool2d_backward output-grid_sampler3d_backward |
    diff "$root/scripts/demo_expected.txt" - || die "results are not as expected"
}

check_destdir() {
  DESTDIR=$work/stage cmake --install "$build" --prefix /opt/aclnn-cpu >log
  mv "$work/stage/opt/aclnn-cpu" "$work/staged"
  home=$work/staged
  includes=(-I"$home/include")
  check_full_paths
}

"check_$check"
