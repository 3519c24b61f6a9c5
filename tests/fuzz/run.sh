#!/usr/bin/env bash
# Runs fuzz targets side by side and prints a line each: executions, coverage, crashes. What covers something new goes to
# WORK/found/TARGET, an input that crashes to WORK/crash-TARGET-*, the log to WORK/TARGET.log. Exit code 1 when one crashed.
# Usage: run.sh BIN WORK SECONDS TARGET...
set -euo pipefail
bin=$1 work=$2 seconds=$3
shift 3
corpus=$(dirname "$0")/corpus

"$bin/fuzz_seeds" "$work/seeds"
declare -A running
for target in "$@"; do
  mkdir -p "$work/found/$target"
  "$bin/fuzz_$target" -max_total_time="$seconds" -timeout=120 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
    -artifact_prefix="$work/crash-$target-" "$work/found/$target" "$corpus/$target" "$work/seeds/$target" 2>"$work/$target.log" &
  running[$target]=$!
done
failed=0
for target in "$@"; do
  status=0
  wait "${running[$target]}" || status=$?
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$target.log")
  covered=$(grep -oE 'cov: [0-9]+' "$work/$target.log" | tail -1 || true)
  if [ $status = 0 ]; then
    echo "$target: ${executions:-?} executions in $seconds s, ${covered:-cov: ?}, no crash"
  else
    echo "$target: ${executions:-?} executions, ${covered:-cov: ?}, CRASH:"
    grep -vE '^#[0-9]+.*(NEW|REDUCE|pulse|RELOAD)' "$work/$target.log" | tail -40
    failed=1
  fi
done
exit $failed
