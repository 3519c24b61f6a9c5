#!/usr/bin/env bash
# Loads a plan again and again on one kernel cache, which two at once have filled, in lanes side by side. Each load is killed (SIGKILL)
# at a random moment, half of them without their helpers. Entries are taken away meanwhile, while there are many, so that there is
# always something to compile and to write, and something to damage. In the end the cache is clean, no helper is left, and a run finds
# its kernels and prints what it always did.
# Usage: killed_loads.sh BIN MODEL LOADS [LANES]
set -euo pipefail
bin=$1 model=$2 loads=$3 lanes=${4:-2}
source "$(dirname "$0")/scratch.sh"

load=("$bin/ds4-run" "$work/plan" --weights "$model" --device sim --ids 0,5,7 -n 2 --json)

"$bin/ds4c" compile "$model" -o "$work/plan" --context 64 --no-aot >"$work/log"
"${load[@]}" >"$work/other" 2>"$work/other.err" &
"${load[@]}" >"$work/expected" 2>"$work/err" || fail "$(cat "$work/err")"
wait $! || fail "$(cat "$work/other.err")"
cmp "$work/expected" "$work/other"
start=$(date +%s%N)
"${load[@]}" >/dev/null 2>&1
most=$((($(date +%s%N) - start) * 3 / 2000000)) # milliseconds: half as long again as a load

# Every load LANE, LANE + lanes, ...: appends its process group and how it ended to ends.LANE.
lane() {
  RANDOM=$((7 + $1))
  local i pid status wait
  for ((i = $1; i < loads; i += lanes)); do
    if ((i % 4 == 0 && $(find "$DS4C_CACHE_DIR" -name '*.kernel' | wc -l) > 20)); then
      find "$DS4C_CACHE_DIR" -name '*.kernel' | sort | shuf -n 3 --random-source=<(yes $i) | xargs -r -d '\n' rm -f
    fi
    setsid "${load[@]}" >"$work/out.$1" 2>"$work/err.$1" & # a process group of its own
    pid=$!
    wait=$((RANDOM % most))
    sleep "$(printf '%d.%03d' $((wait / 1000)) $((wait % 1000)))"
    kill -KILL -- $((i % 2 ? -pid : pid)) 2>/dev/null || true
    status=0
    wait $pid 2>/dev/null || status=$?
    echo "$pid $status" >>"$work/ends.$1"
    [ $status = 137 ] || { [ $status = 0 ] && cmp -s "$work/expected" "$work/out.$1"; } ||
      fail "load $i: status $status: $(cat "$work/out.$1" "$work/err.$1")"
  done
}
running=()
for ((l = 0; l < lanes; ++l)); do
  lane $l &
  running+=($!)
done
for pid in "${running[@]}"; do wait $pid || fail "a lane failed"; done

cat "$work"/ends.* >"$work/ends"
killed=$(grep -c ' 137$' "$work/ends") finished=$(grep -c ' 0$' "$work/ends" || true)
[ "$killed" -gt $((loads / 4)) ] || fail "only $killed of $loads loads were killed"
# A helper ends by itself when the one who asked is gone.
while read -r group _; do
  for _ in $(seq 100); do pgrep -g "$group" >/dev/null || continue 2; sleep 0.1; done
  fail "processes of load $group are left: $(pgrep -ag "$group")"
done <"$work/ends"
"$bin/ds4c" cache verify >"$work/verify" || fail "the cache is damaged: $(cat "$work/verify")"
grep -q ' 0 damaged' "$work/verify" || fail "$(cat "$work/verify")"
left=$(find "$DS4C_CACHE_DIR" -type f ! -name '*.kernel' | wc -l)
for turn in missing found; do
  "${load[@]}" >"$work/out" 2>"$work/err" || fail "$(cat "$work/err")"
  cmp "$work/expected" "$work/out"
done
grep -q ', 0 compiled, ' "$work/err" || fail "not all kernels are kept: $(cat "$work/err")"
echo "$loads loads, $killed killed, $finished finished: $(cat "$work/verify"); $left temporary files left"
