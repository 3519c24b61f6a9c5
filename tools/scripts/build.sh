#!/usr/bin/env bash
# Configures and builds into build/. Usage: build.sh [ON|OFF (tests)]
set -euo pipefail
cd "$(dirname "$0")/../.."

launcher=()
command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
cmake -S . -B build -G Ninja -Wno-dev -DCMAKE_CXX_COMPILER=clang++-22 -DDS4C_BUILD_TESTS="${1:-OFF}" "${launcher[@]}" >build-configure.log 2>&1 ||
  { cat build-configure.log >&2; exit 3; }
mv build-configure.log build/configure.log
ninja -C build
