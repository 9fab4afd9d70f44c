#!/bin/sh
# Installs what the tests of the terminal client drive it with: tmux. Does nothing when it is there.
set -eu
if command -v tmux >/dev/null 2>&1; then
    exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "tmux is missing, and there is no apt-get to install it with" >&2
    echo "install tmux 3.2 or newer by hand" >&2
    exit 1
fi
as_root=""
if [ "$(id -u)" != 0 ]; then
    as_root="sudo"
fi
$as_root apt-get update -q
$as_root apt-get install -q -y --no-install-recommends tmux
