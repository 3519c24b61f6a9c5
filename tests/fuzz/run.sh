#!/usr/bin/env bash
# Runs fuzz targets side by side and prints a line each: executions, coverage, crashes. What covers something new goes to
# WORK/found/TARGET, an input that crashes to WORK/crash-TARGET-*, the log to WORK/TARGET.log. Exit code 1 when one crashed.
# The same SEED gives the same inputs in the same order from the same WORK/found, as far as the time lets it come; 0 chooses one.
# Usage: run.sh BIN WORK SECONDS SEED TARGET...
set -euo pipefail
bin=$1 work=$2 seconds=$3 seed=$4
shift 4
corpus=$(dirname "$0")/corpus

"$bin/fuzz_seeds" "$work/seeds"
declare -A running
for target in "$@"; do
  mkdir -p "$work/found/$target"
  "$bin/fuzz_$target" -max_total_time="$seconds" -seed="$seed" -timeout=120 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
    -artifact_prefix="$work/crash-$target-" "$work/found/$target" "$corpus/$target" "$work/seeds/$target" 2>"$work/$target.log" &
  running[$target]=$!
done
failed=0
for target in "$@"; do
  status=0
  wait "${running[$target]}" || status=$?
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$target.log")
  covered=$(grep -aoE 'cov: [0-9]+' "$work/$target.log" | tail -1 || true)
  if [ $status = 0 ]; then
    echo "$target: ${executions:-?} executions in $seconds s, ${covered:-cov: ?}, no crash"
  else
    echo "$target: ${executions:-?} executions, ${covered:-cov: ?}, CRASH:"
    grep -avE '^#[0-9]+.*(NEW|REDUCE|pulse|RELOAD)' "$work/$target.log" | tail -40
    failed=1
  fi
done
exit $failed
