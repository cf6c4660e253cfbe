# Sourced by the other scripts: where things are, and how a script speaks.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit 3

# The Python whose torch candidates run with: the user's own, or the checkout's.
python=${AUTOKERNEL_PYTHON:-$root/.venv/bin/python3}
export python

# CMake and clang tools of the checkout's own .venv stand behind the system's (Ubuntu 22.04's cmake is too old).
if [[ -x $root/.venv/bin/cmake ]]; then PATH=$root/.venv/bin:$PATH; fi

# g++ 11 is too old; where the distribution has 12 beside it, that is meant.
if [[ -z ${CXX:-} ]] && command -v g++-12 >/dev/null && (($(g++ -dumpversion 2>/dev/null || echo 0) < 12)); then
  export CC=gcc-12 CXX=g++-12
fi

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

# One message for a person: what is wrong, and what to do about it.
die() {
  say "$*"
  exit 3
}

# timed TEXT LOG COMMAND…: says what it does, and how long it took; the command's output goes to LOG ("-": straight out).
timed() {
  local text=$1 log=$2 start=$EPOCHREALTIME status=0
  shift 2
  say "$text …"
  # 9 is a script's lock: a service that a package starts would hold it for ever.
  if [[ $log == - ]]; then
    "$@" 9>&- || status=$?
  else
    "$@" >"$log" 2>&1 9>&- || status=$?
  fi
  say "$text: $(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f s", b - a }')"
  return "$status"
}
