#!/usr/bin/env bash
# Installs, builds and runs every test.
# Usage: ./test.sh [CTEST ARGUMENTS...]     for example: ./test.sh -R lit/ops
set -euo pipefail
cd "$(dirname "$0")"

tools/scripts/install-packages.sh test >&2
tools/scripts/build.sh ON >&2
exec ctest --test-dir build --output-on-failure --no-tests=error -j"$(nproc)" "$@"
