#!/usr/bin/env bash
# Installs, builds, compiles the bundled model's plan and generates text on the simulator. Debian 12, x86-64 with AVX2.
# Usage: ./run.sh [PROMPT]
set -euo pipefail
cd "$(dirname "$0")"

tools/scripts/install-packages.sh >&2
tools/scripts/build.sh OFF >&2

model=models/tiny/ds4-tiny-mixed.gguf
plan=build/ds4-tiny-mixed.ds4plan
build/bin/ds4c compile "$model" -o "$plan" >&2
build/bin/ds4-run "$plan" --weights "$model" --prompt "${1:-In the beginning God created}" -n 32 --profile
