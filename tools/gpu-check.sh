#!/usr/bin/env bash
# Checks the kernels and a model on a real NVIDIA GPU and writes what it found as JSON.
#
#   tools/gpu-check.sh pack FOLDER MODEL.gguf     where ds4c is built: plans for sm_90 and the libraries' headers, to be carried
#   tools/gpu-check.sh run FOLDER MODEL.gguf GOLDENS.json OUT      on the GPU's machine
#
# `run` builds the runtime, the CUDA provider and the kernel tests with the g++ that is there; it needs CMake, Ninja and the
# CUDA driver with NVRTC, neither network nor LLVM. It then runs the kernel tests, the model's goldens (cases of up to
# GPU_CHECK_TOKENS tokens, 300), compute-sanitizer over one case of every kernel, and the time of a step. Every part runs,
# whatever became of those before it; OUT/gpu-check.json has all outcomes, and the exit code is 1 if one failed.
set -uo pipefail
cd "$(dirname "$0")/.."

usage() { sed -n '4,5s/^# *//p' "$0" >&2; exit 2; }

pack() {
  local folder=$1 model=$2
  mkdir -p "$folder"
  build/bin/ds4c compile "$model" -o "$folder/f16-rows.ds4plan" --target sm_90 --context 2304 || exit
  build/bin/ds4c compile "$model" -o "$folder/f32-rows.ds4plan" --target sm_90 --context 2304 --rows f32 || exit
  # The model of real size, whose weights the GPU's machine generates: with all fusions, without any, and without each.
  build/bin/ds4c synth --model models/ds4-flash-0731.yaml --recipe rocmfpx-mix --sparse -o "$folder/flash.gguf" || exit
  local passes
  passes=$(build/bin/ds4c compile --help | sed -n 's/.*--disable-pass TEXT:{\([^}]*\)}.*/\1/p')
  build/bin/ds4c compile "$folder/flash.gguf" -o "$folder/flash.ds4plan" --target sm_90 --context 32800 || exit
  build/bin/ds4c compile "$folder/flash.gguf" -o "$folder/flash-unfused.ds4plan" --target sm_90 --context 32800 --disable-pass "$passes" || exit
  for pass in ${passes//,/ }; do
    build/bin/ds4c compile "$folder/flash.gguf" -o "$folder/flash-without-$pass.ds4plan" --target sm_90 --context 32800 --disable-pass "$pass" ||
      echo "$pass cannot be left out alone"
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
    ninja -C "$work" ds4cuda ds4-rtc ds4-run ds4-bench kernels_test hand_over_stress_test cuda_provider_test
}

sanitize() {
  compute-sanitizer --tool "$1" --error-exitcode 9 "$work/bin/kernels_test" --device cuda --gtest_brief=1 \
    --gtest_filter="${GPU_CHECK_SANITIZE:-*}"
}

# The sanitizer must find what is planted: else its silence above says nothing.
control() {
  ! compute-sanitizer --tool "$1" --error-exitcode 9 python3 tools/scripts/gpu_faults.py "$work/lib/libds4cuda.so" "$1"
}

# The time of each kernel in one step of decode, caches as the kernel before left them.
kernel_times() {
  ncu --clock-control none --cache-control none --metrics gpu__time_duration.sum --launch-skip 3500 --launch-count 700 --csv --page raw \
    "$work/bin/ds4-run" "$folder/f16-rows.ds4plan" --weights "$model" --device cuda --ids-file "$out/prompt.json" -n 8 --ignore-eos
}

step_time() {
  for width in 1 8; do
    "$work/bin/ds4-run" "$folder/f16-rows.ds4plan" --weights "$model" --device cuda --ids-file "$out/prompt.json" -n 1024 --ignore-eos \
      --width $width --profile --json
  done
}

# A step of the model of real size at 32,768 positions, launch by launch, with all fusions and without each.
flash() {
  local plan
  for plan in "$folder"/flash*.ds4plan; do
    [ -f "$plan" ] || continue
    "$work/bin/ds4-bench" "$plan" --device cuda --weights synth:1 --pos 32767 --json >"$out/$(basename "$plan" .ds4plan).json" || return
  done
  "$work/bin/ds4-bench" "$folder/flash.ds4plan" --device cuda --weights synth:1 --pos 32767 --tokens 4 --json >"$out/flash-4-tokens.json"
}

run() {
  folder=$1 model=$2 goldens=$3 out=$4 work=$4.build
  mkdir -p "$out"
  rm -f "$out/parts.tsv"
  [ -f /usr/include/flatbuffers/flatbuffers.h ] || tar xzf "$folder/libraries.tgz" -C /
  nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm,clocks.max.mem --format=csv,noheader >"$out/device.txt"
  part build build
  part provider "$work/bin/cuda_provider_test" --gtest_brief=1
  DS4C_TEST_DEVICE=cuda part hand-over "$work/bin/hand_over_stress_test"
  part kernels "$work/bin/kernels_test" --device cuda --gtest_output=json:"$out/kernels.json"
  for rows in f32 f16; do
    part "goldens-$rows" python3 tools/scripts/gpu_goldens.py "$work/bin/ds4-run" "$folder/$rows-rows.ds4plan" "$model" "$goldens" \
      $rows "${GPU_CHECK_TOKENS:-300}" "$out/goldens-$rows.json"
  done
  echo "[$(seq -s, 5 68)]" >"$out/prompt.json"
  part step step_time
  part kernel-times kernel_times
  part flash flash
  for tool in memcheck racecheck initcheck; do
    part "$tool-control" control $tool
    part $tool sanitize $tool
  done
  python3 tools/scripts/gpu_report.py "$out" >"$out/gpu-check.json"
  cat "$out/gpu-check.json"
  ! cut -f2 "$out/parts.tsv" | grep -qv '^0$'
}

case ${1:-} in
pack) [ $# = 3 ] || usage; pack "$2" "$3" ;;
run) [ $# = 5 ] || usage; run "$2" "$3" "$4" "$5" ;;
*) usage ;;
esac
