#!/usr/bin/env bash
# Installs into a folder of its own, builds the examples from there by find_package and by pkg-config, runs them, compares
# their text and response hash with those of the installed ds4-run, and uninstalls.
# Usage: consumers.sh BUILD SOURCE CXX CMAKE
set -euo pipefail
build=$1 source=$2 cxx=$3 cmake=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix="$work/in stalled"
export DS4C_CACHE_DIR="$work/cache"

fail() {
  echo "FAIL: $*" >&2
  exit 1
}

"$cmake" --install "$build" --prefix "$prefix" >/dev/null
cp "$build/install_manifest.txt" "$work/manifest"
for tool in ds4c ds4-run ds4-rtc; do [ -x "$prefix/bin/$tool" ] || fail "$tool is not installed"; done

# Only ds4rt_* is visible, each symbol with its version.
symbols=$(nm -D --defined-only "$prefix/lib/libds4rt.so" | awk '$2 != "A" { print $3 }')
[ -n "$symbols" ] || fail "libds4rt.so exports nothing"
! grep -vE '^ds4rt_[a-z0-9_]+@@DS4RT_0$' <<<"$symbols" || fail "libds4rt.so exports other symbols"
# The compiler's LLVM and the one in a GPU's runtime never meet in a process.
for part in lib/libds4rt.so bin/ds4-run bin/ds4-rtc; do
  ! ldd "$prefix/$part" | grep -E 'LLVM|MLIR|clang|hip|comgr' || fail "$part links what it must not"
done
! ldd "$prefix/bin/ds4c" | grep -E 'hip|comgr|hsa' || fail "ds4c links what it must not"

model="$source/models/tiny/ds4-tiny-mixed.gguf" text="In the beginning"
"$prefix/bin/ds4c" compile "$model" -o "$work/plan" --context 64 --no-aot >/dev/null
"$prefix/bin/ds4-run" "$work/plan" --weights "$model" --device sim --prompt "$text" -n 6 --json 2>/dev/null >"$work/expected"
value() { sed -E "s/.*\"$1\":\"([^\"]*)\".*/\\1/" "$work/expected"; }
[ "$(value sha256 | wc -c)" = 65 ] || fail "ds4-run --json prints no sha256"

cc=${cxx/++/}
"$cmake" -G Ninja -S "$source/examples" -B "$work/examples" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_C_COMPILER="$cc" >/dev/null
"$cmake" --build "$work/examples" >/dev/null
programs=("$work/examples/generate_c" "$work/examples/generate_cpp")
if command -v pkg-config >/dev/null; then
  eval "$cc -std=c11 -Wall -Werror '$source/examples/generate.c' -o '$work/by-pkg-config' $(PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config --cflags --libs ds4rt) -Wl,-rpath,'$prefix/lib'"
  programs+=("$work/by-pkg-config")
fi
for program in "${programs[@]}"; do
  printf '%s\nsha256 %s\n' "$(value text)" "$(value sha256)" >"$work/wanted"
  "$program" "$work/plan" "$model" sim 6 "$text" >"$work/got"
  diff "$work/wanted" "$work/got" || fail "$program differs from ds4-run"
  status=0
  "$program" "$work/none" "$model" sim 6 "$text" 2>"$work/error" || status=$?
  [ $status = 2 ] || fail "$program: status $status for a plan that is not there"
  grep -q "error: cannot open '$work/none'" "$work/error" || fail "$program: $(cat "$work/error")"
done

"$cmake" -DMANIFEST="$work/manifest" -P "$source/cmake/Uninstall.cmake" >/dev/null
left=$(find "$prefix" -type f -o -type l)
[ -z "$left" ] || fail "uninstalling leaves $left"
