#!/usr/bin/env bash
# Installs the Debian packages that some tests can use and that npm can't bring: bubblewrap for the sandbox, chromium for
# pages, PostgreSQL for the engine of that name. Tests that need one are left out, and say so, where it is missing. What is
# there already is left alone.
set -u

missing=()
command -v bwrap >/dev/null || missing+=(bubblewrap)
command -v chromium >/dev/null || missing+=(chromium)
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing+=(postgresql)
if [ ${#missing[@]} -eq 0 ]; then
  echo 'system packages: all there'
  exit 0
fi

if ! command -v apt-get >/dev/null; then
  echo "system packages: no apt-get here; install by hand: ${missing[*]}" >&2
  exit 1
fi

as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
start=$SECONDS
if "${as_root[@]}" apt-get update >"$log" 2>&1 &&
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
  echo "system packages: installed ${missing[*]} in $((SECONDS - start)) s"
else
  tail -n 20 "$log" >&2
  echo "system packages: could not install ${missing[*]}" >&2
  exit 1
fi
