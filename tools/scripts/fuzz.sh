#!/usr/bin/env bash
# Runs every fuzz target, one after another, and prints a line a target: executions, coverage, crashes. Inputs that cover
# something new stay in build/tests/fuzz/found (libFuzzer's -merge=1 takes them over into tests/fuzz/corpus); one that crashes is kept
# beside the log and ends the target.
# Usage: fuzz.sh SECONDS [TARGET...]     builds in build/, which tools/scripts/build.sh ON has made; wants the package libclang-rt-22-dev
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:?usage: fuzz.sh SECONDS [TARGET...]}
shift
targets=("$@")
[ $# -gt 0 ] || targets=(gguf plan cache_entry rtc_protocol tokenizer recipe)

work=build/tests/fuzz
cmake -S . -B build -Wno-dev -DDS4C_FUZZ=ON >/dev/null
ninja -C build fuzz_seeds "${targets[@]/#/fuzz_}" >&2
build/bin/fuzz_seeds $work/seeds
failed=0
for target in "${targets[@]}"; do
  mkdir -p "$work/found/$target"
  status=0
  "build/bin/fuzz_$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$work/crash-$target-" "$work/found/$target" "tests/fuzz/corpus/$target" "$work/seeds/$target" \
    2>"$work/$target.log" || status=$?
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$target.log")
  covered=$(grep -oE 'cov: [0-9]+' "$work/$target.log" | tail -1 || true)
  echo "$target: ${executions:-?} executions in $seconds s, ${covered:-cov: ?}, $([ $status = 0 ] && echo no crash || echo "CRASH, see $work/$target.log")"
  [ $status = 0 ] || failed=1
done
exit $failed
