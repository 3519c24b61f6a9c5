#!/usr/bin/env bash
# Checks the kernels and a model on a real NVIDIA GPU and writes what it found as JSON.
#
#   tools/gpu-check.sh pack FOLDER MODEL.gguf GOLDENS   where ds4c is built: plans for sm_90 and the libraries' headers, to be carried
#   tools/gpu-check.sh run FOLDER MODEL.gguf GOLDENS OUT [PART...]      on the GPU's machine
#
# GOLDENS is the folder of tiny_goldens.json and layer_goldens.json. `run` builds the runtime, the CUDA provider and the kernel
# tests with the g++ that is there; it needs CMake, Ninja and the CUDA driver with NVRTC, neither network nor LLVM. Then it runs
# the parts named, or all: provider, hand-over, kernels, layers, goldens (cases of up to GPU_CHECK_TOKENS tokens, 300), step,
# kernel-times, kernel-bench (single kernels of real size), flash (a step of it), prefill (a chunk of a prompt of it), sanitizers
# (compute-sanitizer over every kernel test). A test that compiles hundreds of kernels is cut into GPU_CHECK_SHARDS processes (12).
# Every part runs, whatever became of those before it; OUT/gpu-check.json has all outcomes, and the exit code is 1 if one failed.
set -uo pipefail
cd "$(dirname "$0")/.."

usage() { sed -n '4,5s/^# *//p' "$0" >&2; exit 2; }

pack() {
  local folder=$1 model=$2 goldens=$3
  mkdir -p "$folder"
  build/bin/ds4c compile "$model" -o "$folder/f16-rows.ds4plan" --target sm_90 --context 2304 || exit
  build/bin/ds4c compile "$model" -o "$folder/f32-rows.ds4plan" --target sm_90 --context 2304 --rows f32 || exit
  mkdir -p "$folder/layers"
  build/bin/ds4-golden layer "$goldens/layer_goldens.json" --save-plans "$folder/layers" --target sm_90 || exit
  # The model of real size, whose weights the GPU's machine generates: with all fusions, without any, and without each.
  build/bin/ds4c synth --model models/ds4-flash-0731.yaml --recipe rocmfpx-mix --sparse -o "$folder/flash.gguf" || exit
  local passes
  passes=$(build/bin/ds4c compile --help | sed -n 's/.*--disable-pass TEXT:{\([^}]*\)}.*/\1/p')
  build/bin/ds4c compile "$folder/flash.gguf" -o "$folder/flash.ds4plan" --target sm_90 --context 32800 || exit
  build/bin/ds4c compile "$folder/flash.gguf" -o "$folder/flash-unfused.ds4plan" --target sm_90 --context 32800 --disable-pass "$passes" || exit
  for pass in ${passes//,/ }; do
    [ "$pass" != ds4-group-experts ] || continue # of chunks alone
    build/bin/ds4c compile "$folder/flash.gguf" -o "$folder/flash-without-$pass.ds4plan" --target sm_90 --context 32800 --disable-pass "$pass" ||
      echo "$pass cannot be left out alone"
    if cmp -s "$folder/flash.ds4plan" "$folder/flash-without-$pass.ds4plan"; then
      echo "$pass changes nothing for this target"
      rm "$folder/flash-without-$pass.ds4plan"
    fi
  done
  rm "$folder/flash.gguf"
  local packages=(libfmt-dev libfmt9 libyaml-cpp-dev libyaml-cpp0.7 libflatbuffers-dev flatbuffers-compiler libcli11-dev
    nlohmann-json3-dev libgtest-dev libgmock-dev libpcre2-dev libpcre2-8-0 libssl-dev)
  dpkg -L "${packages[@]}" | sort -u | grep -v -e /share/doc -e /share/man -e /usr/src |
    grep -v -e 'lib\(crypto\|ssl\|fmt\|flatbuffers\|yaml-cpp\|pcre2-.*\)\.a$' |
    while read -r file; do [ -d "$file" ] || echo "$file"; done | tar czf "$folder/libraries.tgz" -T - 2>/dev/null
  ls -l "$folder"
}

# Runs a part under a name, its output in OUT/NAME.log, its status and seconds in OUT/parts.tsv.
part() {
  local name=$1 start=$SECONDS status=0
  shift
  "$@" >"$out/$name.log" 2>&1 || status=$?
  printf '%s\t%s\t%s\n' "$name" "$status" $((SECONDS - start)) | tee -a "$out/parts.tsv"
}

build() {
  cmake -S . -B "$work" -G Ninja -Wno-dev -DDS4C_BUILD_COMPILER=OFF &&
    ninja -C "$work" ds4cuda ds4-rtc ds4-run ds4-bench ds4-golden kernels_test hand_over_stress_test cuda_provider_test
}

# The kernel tests, cut into shards that run side by side, with an option of theirs; each begins with the words given. Shard i leaves
# OUT/NAME.i.json. Kernels are compiled once for all parts.
kernel_shards() {
  local name=$1 option=$2 shards=${GPU_CHECK_SHARDS:-12} status=0 i pids=()
  shift 2
  for ((i = 0; i < shards; ++i)); do
    GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$i "$@" "$work/bin/kernels_test" --device cuda --kernel-cache "$work/kernels" $option \
      --gtest_brief=1 --gtest_filter="${GPU_CHECK_FILTER:-*}" --gtest_output=json:"$out/$name.$i.json" >"$out/$name.$i.log" 2>&1 &
    pids+=($!)
  done
  for i in "${pids[@]}"; do wait "$i" || status=1; done
  cat "$out/$name".*.log
  return $status
}

sanitize() { kernel_shards "$1" --first-token-alone compute-sanitizer --tool "$1" --error-exitcode 9; }

# The sanitizer must find what is planted: else its silence above says nothing.
control() {
  ! compute-sanitizer --tool "$1" --error-exitcode 9 python3 tools/scripts/gpu_faults.py "$work/lib/libds4cuda.so" "$1"
}

# The time of each kernel in one step of decode, caches as the kernel before left them.
kernel_times() {
  ncu --clock-control none --cache-control none --metrics gpu__time_duration.sum --launch-skip 3500 --launch-count 700 --csv --page raw \
    "$work/bin/ds4-run" "$folder/f16-rows.ds4plan" --weights "$model" --device cuda --ids-file "$out/prompt.json" -n 8 --ignore-eos
}

# Single kernels of real size, beside their limits.
kernel_bench() { "$work/bin/ds4-bench" --kernels "" --device cuda --json >"$out/kernel-bench.json"; }

step_time() {
  for width in 1 8; do
    "$work/bin/ds4-run" "$folder/f16-rows.ds4plan" --weights "$model" --device cuda --ids-file "$out/prompt.json" -n 1024 --ignore-eos \
      --width $width --profile --json
  done
}

# bench_flash PLAN NAME ARGUMENT...: a step of the model of real size, launch by launch, to OUT/NAME.json.
bench_flash() {
  local plan=$1 name=$2
  shift 2
  "$work/bin/ds4-bench" "$folder/$plan.ds4plan" --device cuda --weights synth:1 --json "$@" >"$out/$name.json"
}

# At 32,768 positions with all fusions, then without any and without each. At 32,767 every layer's compressor completes a window,
# one before, none does, four before, those of ratio 4 do.
flash() {
  local plan
  bench_flash flash flash --pos 32767 && bench_flash flash flash-at-32766 --pos 32766 && bench_flash flash flash-at-32763 --pos 32763 &&
    bench_flash flash flash-4-tokens --pos 32767 --tokens 4 || return
  for plan in "$folder"/flash-*.ds4plan; do
    [ ! -f "$plan" ] || bench_flash "$(basename "$plan" .ds4plan)" "$(basename "$plan" .ds4plan)" --pos 32767 || return
  done
}

# A prompt of 8,192 tokens in chunks of 4,096, and plain decode behind it.
prefill() {
  bench_flash flash flash-prefill-at-0 --prefill 4096 --pos 0 --repeats 3 &&
    bench_flash flash flash-prefill-at-4096 --prefill 4096 --pos 4096 --repeats 3 && bench_flash flash flash-at-8191 --pos 8191
}

sanitizers() {
  local tool
  for tool in memcheck initcheck racecheck; do # the longest one last
    part $tool-control control $tool
    part $tool sanitize $tool
  done
}

goldens() {
  local rows
  for rows in f32 f16; do
    part "goldens-$rows" python3 tools/scripts/gpu_goldens.py "$work/bin/ds4-run" "$folder/$rows-rows.ds4plan" "$model" \
      "$expected/tiny_goldens.json" $rows "${GPU_CHECK_TOKENS:-300}" "$out/goldens-$rows.json"
  done
}

run() {
  folder=$1 model=$2 expected=$3 out=$4 work=${GPU_CHECK_BUILD:-$4.build}
  shift 4
  local parts=("$@") name
  [ $# -gt 0 ] || parts=(provider hand-over kernels layers goldens step kernel-times kernel-bench flash prefill sanitizers)
  mkdir -p "$out"
  rm -f "$out/parts.tsv"
  [ -f /usr/include/flatbuffers/flatbuffers.h ] || tar xzf "$folder/libraries.tgz" -C /
  nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm,clocks.max.mem --format=csv,noheader >"$out/device.txt"
  echo "[$(seq -s, 5 68)]" >"$out/prompt.json"
  part build build
  for name in "${parts[@]}"; do
    case $name in
    provider) part provider "$work/bin/cuda_provider_test" --gtest_brief=1 ;;
    hand-over) DS4C_TEST_DEVICE=cuda part hand-over "$work/bin/hand_over_stress_test" ;;
    kernels) part kernels kernel_shards kernels "" env ;;
    layers) part layers "$work/bin/ds4-golden" layer "$expected/layer_goldens.json" --plans "$folder/layers" --device cuda ;;
    goldens) goldens ;;
    sanitizers) sanitizers ;;
    step) part step step_time ;;
    kernel-times) part kernel-times kernel_times ;;
    kernel-bench) part kernel-bench kernel_bench ;;
    flash) part flash flash ;;
    prefill) part prefill prefill ;;
    *) echo "no part is called $name" >&2; exit 2 ;;
    esac
  done
  python3 tools/scripts/gpu_report.py "$out" >"$out/gpu-check.json"
  cat "$out/gpu-check.json"
  ! cut -f2 "$out/parts.tsv" | grep -qv '^0$'
}

case ${1:-} in
pack) [ $# = 4 ] || usage; pack "$2" "$3" "$4" ;;
run) [ $# -ge 5 ] || usage; shift; run "$@" ;;
*) usage ;;
esac
