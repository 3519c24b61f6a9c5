# Sourced by tests of whole programs: a folder of their own, $work, which holds the cache and TMPDIR and goes when they end.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export DS4C_CACHE_DIR="$work/cache" TMPDIR="$work/tmp"
mkdir "$TMPDIR"

fail() {
  echo "FAIL: $*" >&2
  exit 1
}
