#!/bin/sh
# Installs what is missing for `build` or `test`, and only that. Run by make; running it again changes nothing.
set -eu
cd "$(dirname "$0")/.."

say() { echo "setup: $*" >&2; }

fail() {
    echo "error: $1" >&2
    echo "hint: $2" >&2
    exit 1
}

# Installs Debian packages, where we may.
install_packages() {
    command -v apt-get >/dev/null || fail "missing: $*" "install these with the package manager of this system"
    if [ "$(id -u)" = 0 ]; then as_root=""; else as_root="sudo"; fi
    say "installing $*"
    $as_root apt-get update -qq || true
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null ||
        fail "could not install $*" "install these by hand: $as_root apt-get install $*"
}

# need COMMAND PACKAGE: makes sure that a command is there.
need() {
    command -v "$1" >/dev/null || install_packages "$2"
}

for_build() {
    command -v cargo >/dev/null || fail "cargo is not installed" "install Rust from https://rustup.rs"
    cargo --version >/dev/null 2>&1 || fail "cargo does not start: $(cargo --version 2>&1 | head -n 1)" "install a Rust toolchain: rustup toolchain install stable"
    need cc build-essential
}

for_test() {
    for_build
    need tmux tmux
    need python3 python3
    peers
}

# The programs that tests talk with, each in a Python environment of its own.
peers() {
    python3 -c 'import ensurepip, venv' 2>/dev/null || install_packages python3-venv
    scripts/peers.sh >/dev/null || fail "could not install the counterparts of the tests" "check the network and the Python package index, then run scripts/peers.sh"
}

case "${1:-}" in
build) for_build ;;
test) for_test ;;
*) fail "setup.sh build|test, not '${1:-}'" "run it through make" ;;
esac
