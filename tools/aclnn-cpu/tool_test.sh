#!/usr/bin/env bash
# tool_test.sh <aclnn-cpu> <library file> <version>: what the tool prints, and its exit codes.
set -uo pipefail

tool=$1
library=$(readlink -f "$2")
version=$3
failures=0
# The caller's settings are not what is tested.
unset "${!ACLNN_CPU_@}" "${!ASCEND_@}"

# expect <exit code> <what the output must contain, a basic regular expression, or ''> <command>...
expect() {
  local code=$1 pattern=$2 output found
  shift 2
  output=$("$@" 2>&1)
  found=$?
  if [[ $found -ne $code ]]; then
    echo "FAILED: '$*' ended with $found, must be $code:" >&2
  elif [[ -n $pattern ]] && ! grep -q -- "$pattern" <<<"$output"; then
    echo "FAILED: '$*' does not print '$pattern':" >&2
  else
    return
  fi
  printf '%s\n' "$output" >&2
  failures=$((failures + 1))
}

expect 0 "^version  $version\$" "$tool" info
expect 0 "^library  $library\$" "$tool" info
expect 0 '^targets  .*(chosen)' "$tool" info
expect 0 '^threads  [1-9]' "$tool" info
expect 0 '^SoC      Ascend910B1$' "$tool" info
expect 0 '^devices  1$' "$tool" info
expect 0 "\"version\": \"$version\"" "$tool" info --json
expect 0 "\"library\": \"$library\"" "$tool" info --json

expect 0 '^threads  3$' env ACLNN_CPU_NUM_THREADS=3 "$tool" info
expect 0 '^  ACLNN_CPU_NUM_THREADS=3$' env ACLNN_CPU_NUM_THREADS=3 "$tool" info
expect 0 '^targets  .*scalar (chosen)' env ACLNN_CPU_TARGET=scalar "$tool" info
expect 0 '^SoC      Ascend310P3$' env ACLNN_CPU_SOC=Ascend310P3 "$tool" info
expect 0 '^devices  4$' env ACLNN_CPU_DEVICES=4 "$tool" info
expect 0 '^devices  2$' env ACLNN_CPU_DEVICES=4 ASCEND_RT_VISIBLE_DEVICES=1,3 "$tool" info

# Bad values are shown, and do not count.
for setting in ACLNN_CPU_NUM_THREADS=0 ACLNN_CPU_NUM_THREADS=many ACLNN_CPU_TARGET=mmx \
  ACLNN_CPU_SOC=Ascend1 ACLNN_CPU_DEVICES=65 ASCEND_GLOBAL_LOG_LEVEL=9 \
  ASCEND_MODULE_LOG_LEVEL=ASCENDCL ASCEND_LOG_PRINT_TO_STDOUT=yes; do
  expect 0 "^  $setting  (rejected" env "$setting" "$tool" info
done
expect 0 '^SoC      Ascend910B1$' env ACLNN_CPU_SOC=Ascend1 "$tool" info
expect 0 '^devices  1$' env ACLNN_CPU_DEVICES=65 "$tool" info

expect 0 '^  ACLNN_CPU_NUM_THREADS is unset$' "$tool" info --env
expect 0 '^  ASCEND_PROCESS_LOG_PATH is unset$' "$tool" info --env
expect 1 '' grep -q 'is unset' <("$tool" info)
expect 0 '^environment (what is set): none$' "$tool" info
expect 0 '^environment (what is set):$' env ACLNN_CPU_NUM_THREADS=3 "$tool" info

expect 0 'aclnnAdaptiveAvgPool2dBackward' "$tool" support
expect 0 'aclnnGridSampler3DBackward' "$tool" support
expect 0 '"op_type": "GridSampler3DGrad"' "$tool" support grid_sampler3d_backward --format json
expect 0 '^| Ascend310P |.*| yes | yes | 161002 |$' \
  "$tool" support adaptive_avg_pool2d_backward --soc Ascend310P3
expect 0 '^| Ascend310B |.*| - |' "$tool" support aclnnGridSampler3DBackward --soc Ascend310B
expect 0 '^1$' bash -c "'$tool' support aclnnGridSampler3DBackward --soc Ascend910B | grep -c '^| A'"

expect 0 'support' "$tool" --help
expect 0 "^$version\$" "$tool" --version
expect 2 'subcommand is required' "$tool"
expect 2 '^command is "price", must be one of info, support$' "$tool" price
expect 2 '' "$tool" info --colour
expect 2 'json' "$tool" support --format xml
expect 2 'operator is "add", must be one of .*grid_sampler3d_backward' "$tool" support add
expect 2 'soc is "Ascend1", must be one of Ascend910, ' "$tool" support --soc Ascend1

exit $((failures > 0))
