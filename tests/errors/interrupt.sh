#!/usr/bin/env bash
# ds4-run interrupted by Ctrl-C, as a terminal sends it: to all of its process group. While kernels compile it ends with
# 130 and one line, and so it does while weights are read; while text is generated it dies of the signal. Nothing stays behind but a
# cache that is whole.
# Usage: interrupt.sh BIN MODEL SLOW_READS
set -euo pipefail
set -m # a process group for each job
bin=$1 model=$2 slow=$3
source "$(dirname "$0")/scratch.sh"

start() {
  env --default-signal=INT "$bin/ds4-run" "$work/$1" --weights "$model" --device sim --prompt "In the beginning" -n 4000 --ignore-eos >"$work/out" 2>"$work/err" &
  pid=$!
}

# Waits up to 60 s for a condition.
await() {
  for _ in $(seq 600); do
    if eval "$1"; then return; fi
    kill -0 $pid 2>/dev/null || fail "ds4-run ended before it could be interrupted: $(cat "$work/err")"
    sleep 0.1
  done
  fail "it never came to this: $1"
}

# Sends the signal and checks how it ended: the status, and stderr's last line.
interrupt() {
  kill -INT -- -$pid
  for _ in $(seq 300); do kill -0 $pid 2>/dev/null || break; sleep 0.1; done
  ! kill -0 $pid 2>/dev/null || { kill -KILL $pid; fail "$1: it goes on"; }
  status=0
  wait $pid || status=$?
  [ $status = 130 ] || fail "$1: exit code $status: $(cat "$work/err")"
  [ -z "$2" ] || tail -1 "$work/err" | grep -q "^ds4-run: error: interrupted $2\$" || fail "$1: $(cat "$work/err")"
  [ -z "$(ls -A "$TMPDIR")" ] || fail "$1: left in TMPDIR: $(ls -A "$TMPDIR")"
  [ ! -d "$DS4C_CACHE_DIR" ] || [ -z "$(find "$DS4C_CACHE_DIR" -type f ! -name '*.kernel')" ] || fail "$1: left in the cache: $(find "$DS4C_CACHE_DIR" -type f)"
}

"$bin/ds4c" compile "$model" -o "$work/late" --context 4096 --no-aot >"$work/log"
"$bin/ds4c" compile "$model" -o "$work/ready" --context 4096 --kernel-cache off >"$work/log" # the cache is empty yet

start late
await '[ -n "$(find "$DS4C_CACHE_DIR" -name "*.kernel" 2>/dev/null | head -1)" ]'
helpers=$(pgrep -P $pid -x ds4-rtc || true)
[ -n "$helpers" ] || fail "no helper runs"
interrupt "compiling" "while compiling kernels"
for helper in $helpers; do ! kill -0 "$helper" 2>/dev/null || fail "helper $helper is left"; done
"$bin/ds4c" cache verify | grep -q ' 0 damaged' || fail "the cache is damaged"
[ "$(find "$DS4C_CACHE_DIR" -name '*.kernel' | wc -l)" -gt 0 ] || fail "finished kernels are not kept"

LD_PRELOAD=$slow DS4_SLOW_READS="$work/reading" start ready
await '[ -e "$work/reading" ]'
interrupt "reading weights" "while loading weights"
[ ! -s "$work/out" ] || fail "text without all weights: $(cat "$work/out")"

start ready
await '[ -s "$work/out" ]'
interrupt "generating" ""
"$bin/ds4c" cache verify | grep -q ' 0 damaged' || fail "the cache is damaged"
echo "interrupted while compiling, reading weights and generating: nothing is left"
