#!/usr/bin/env bash
# Loads a plan again and again on one kernel cache, after two at once have filled it, each load killed (SIGKILL) at a random moment,
# half of them without their helpers. Entries are taken away meanwhile, so that there is always something to compile and to write. In the end the cache is
# clean, no helper is left, and a run finds its kernels and prints what it always did.
# Usage: killed_loads.sh BIN MODEL LOADS
set -euo pipefail
set -m # a process group for each job
bin=$1 model=$2 loads=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export DS4C_CACHE_DIR="$work/cache" TMPDIR="$work/tmp"
mkdir "$TMPDIR"
RANDOM=7

fail() {
  echo "FAIL: $*" >&2
  exit 1
}

load() { "$bin/ds4-run" "$work/plan" --weights "$model" --device sim --ids 0,5,7 -n 2 --json; }

"$bin/ds4c" compile "$model" -o "$work/plan" --context 64 --no-aot >"$work/log"
# Two at once on a cold cache.
load >"$work/other" 2>"$work/other.err" &
load >"$work/expected" 2>"$work/err" || fail "$(cat "$work/err")"
wait $! || fail "$(cat "$work/other.err")"
cmp "$work/expected" "$work/other"
start=$(date +%s%N)
load >/dev/null 2>&1
warm=$((($(date +%s%N) - start) / 1000000)) # milliseconds

killed=0 finished=0 groups=()
for ((i = 0; i < loads; ++i)); do
  if ((i % 4 == 0)); then
    find "$DS4C_CACHE_DIR" -name '*.kernel' | sort | shuf -n 3 --random-source=<(yes $i) | xargs -r -d '\n' rm -f
  fi
  load >"$work/out" 2>"$work/err" &
  pid=$!
  groups+=("$pid")
  wait=$((RANDOM % (warm * 3 / 2)))
  sleep "$(printf '%d.%03d' $((wait / 1000)) $((wait % 1000)))"
  kill -KILL -- $((i % 2 ? -pid : pid)) 2>/dev/null || true
  status=0
  wait $pid 2>/dev/null || status=$?
  case $status in
    137) killed=$((killed + 1)) ;;
    0) finished=$((finished + 1)); cmp -s "$work/expected" "$work/out" || fail "load $i printed $(cat "$work/out")" ;;
    *) fail "load $i: status $status: $(cat "$work/err")" ;;
  esac
done
[ $killed -gt $((loads / 4)) ] || fail "only $killed of $loads loads were killed"

# A helper ends by itself when the one who asked is gone.
for group in "${groups[@]}"; do
  for _ in $(seq 100); do pgrep -g "$group" >/dev/null || continue 2; sleep 0.1; done
  fail "processes of load $group are left: $(pgrep -ag "$group")"
done
"$bin/ds4c" cache verify >"$work/verify" || fail "the cache is damaged: $(cat "$work/verify")"
grep -q ' 0 damaged' "$work/verify" || fail "$(cat "$work/verify")"
left=$(find "$DS4C_CACHE_DIR" -type f ! -name '*.kernel' | wc -l)
load >"$work/out" 2>"$work/err" || fail "$(cat "$work/err")"
cmp "$work/expected" "$work/out"
load 2>"$work/err" | cmp "$work/expected" -
grep -q ', 0 compiled, ' "$work/err" || fail "not all kernels are kept: $(cat "$work/err")"
echo "$loads loads, $killed killed, $finished finished: $(cat "$work/verify"); $left temporary files left"
