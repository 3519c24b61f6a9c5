#!/usr/bin/env bash
# Installs what building needs, from Debian 12's own archive. Does nothing when everything is there.
# Usage: install-packages.sh [test]     with "test": what the tests need, too
set -euo pipefail

packages=(ca-certificates cmake ninja-build pkg-config clang-22 lld-22 liblld-22-dev llvm-22-dev libclang-22-dev libclang-cpp22-dev
  libmlir-22-dev mlir-22-tools libc6-dev libstdc++-12-dev libfmt-dev libspdlog-dev libcli11-dev nlohmann-json3-dev libyaml-cpp-dev
  libflatbuffers-dev flatbuffers-compiler libpcre2-dev libssl-dev zlib1g-dev libzstd-dev)
if [ "${1:-}" = test ]; then
  # libclang-rt: libFuzzer and the sanitizers. libamdhip64: hipRTC 5.2, an old compiler for kernels.
  packages+=(llvm-22-tools libclang-rt-22-dev libgtest-dev libgmock-dev python3 chromium libamdhip64-5 libamd-comgr2)
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || { echo "error: these packages are missing and installing them needs root: ${missing[*]}" >&2; exit 3; }
  as_root=(sudo)
fi
echo "installing ${#missing[@]} packages: ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
