#!/usr/bin/env bash
# Tests runtime, simulator and what both stand on in a build with sanitizers: address (with undefined behaviour) or thread. Builds in
# build-address/ or build-thread/ what those tests need and nothing of the compiler; their plans are made by the ds4c of build/
# (tools/scripts/build.sh), or by $DS4C. No kernel tests but one: they are too many for a simulator at this speed.
# Usage: sanitize.sh address|thread [CTEST ARGUMENTS...]     wants libclang-rt-22-dev; JOBS=N builds and tests with N jobs
set -euo pipefail
cd "$(dirname "$0")/../.."
kind=${1:-}
[[ $kind =~ ^(address|thread)$ ]] || { echo "usage: sanitize.sh address|thread [CTEST ARGUMENTS...]" >&2; exit 2; }
shift
build=build-$kind jobs=${JOBS:-$(nproc)} ds4c=$(realpath "${DS4C:-build/bin/ds4c}")
[ -x "$ds4c" ] || { echo "error: no $ds4c, which makes the tests' plans: run tools/scripts/build.sh, or set DS4C" >&2; exit 3; }

launcher=()
command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
cmake -S . -B "$build" -G Ninja -Wno-dev -DCMAKE_CXX_COMPILER=clang++-22 -DDS4C_BUILD_TESTS=ON -DDS4C_SANITIZE="$kind" \
  -DDS4C_PLANS_BY="$ds4c" "${launcher[@]}" >&2

folders=(tests/{simulator,errors} tests/unit/{cache,chat,formats,models,quantize,runtime,sampling,speculation,synth,tokenizer})
ninja -C "$build" -j"$jobs" "${folders[@]/%//all}" step_expr_test step_guard_test safetensors_test synthetic_test hand_over_stress_test >&2

export ASAN_SYMBOLIZER_PATH=/usr/lib/llvm-22/bin/llvm-symbolizer TSAN_SYMBOLIZER_PATH=/usr/lib/llvm-22/bin/llvm-symbolizer
# A thread that compiles has its signal stack replaced by LLVM; AddressSanitizer would unmap that one as its own.
export ASAN_OPTIONS=use_sigaltstack=0:detect_stack_use_after_return=1:strict_string_checks=1:check_initialization_order=1
export UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS=second_deadlock_stack=1
# At a tenth of the speed these would take more than an hour: widths, prompts, lengths and statistics over what the rest of their
# programs runs, and memory that sanitizers keep.
repeats='SpeculationTest.(LookUpOf|ReferencePrompts|AnAdversary|SamplesFollow)|DsparkTest.EveryWidth|MtpTest.AnyWidth'
repeats+='|SnapshotTest.(GoesBackBy|ReachesBack)|SessionTest.GeneratingNeeds'
exec ctest --test-dir "$build" --output-on-failure --no-tests=error -j"$jobs" -R '_test/' -E "$repeats" "$@"
