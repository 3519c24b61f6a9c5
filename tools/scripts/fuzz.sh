#!/usr/bin/env bash
# Runs every fuzz target, one after another, and prints a line a target: executions, coverage, crashes. ctest runs them side by side
# for a minute (fuzz/a-minute); this is for longer. Inputs that cover something new stay in build/tests/fuzz/found; with --keep 64 of
# those that together cover as much, small and large, replace tests/fuzz/corpus.
# Usage: fuzz.sh [--keep] SECONDS [TARGET...]     builds in build/, which tools/scripts/build.sh ON has made; wants libclang-rt-22-dev
set -euo pipefail
cd "$(dirname "$0")/../.."
keep=0
[ "${1:-}" != --keep ] || { keep=1; shift; }
seconds=${1:?usage: fuzz.sh [--keep] SECONDS [TARGET...]}
shift
targets=("$@")
[ $# -gt 0 ] || targets=(gguf plan cache_entry rtc_protocol tokenizer recipe)

work=$PWD/build/tests/fuzz
cmake -S . -B build -Wno-dev -DDS4C_FUZZ=ON >/dev/null
ninja -C build fuzz_seeds "${targets[@]/#/fuzz_}" >&2
failed=0
for target in "${targets[@]}"; do
  tests/fuzz/run.sh build/bin "$work" "$seconds" 0 "$target" || failed=1
  [ $keep = 1 ] || continue
  # Small inputs alone, so that the repository stays small; the seeds are written anew by every build.
  kept=$(mktemp -d)
  build/bin/fuzz_"$target" -set_cover_merge=1 -max_len=3000 "$kept" "$work/seeds/$target" "tests/fuzz/corpus/$target" \
    "$work/found/$target" 2>/dev/null
  for seed in "$work/seeds/$target"/*; do rm -f "$kept/$(sha1sum <"$seed" | cut -d' ' -f1)"; done
  (cd "$kept" && ls -S | awk -v n="$(ls "$kept" | wc -l)" 'n > 64 && int(NR * 64 / n) == int((NR - 1) * 64 / n)' | xargs -r rm)
  rm -rf "tests/fuzz/corpus/$target"
  mv "$kept" "tests/fuzz/corpus/$target"
  chmod 755 "tests/fuzz/corpus/$target"
done
exit $failed
