#!/bin/sh
# test.sh PROFILE ARGUMENTS…: runs tests with cargo-nextest where it is installed, with `cargo test` otherwise.
set -eu
cd "$(dirname "$0")/.."
profile=$1
shift
if cargo nextest --version >/dev/null 2>&1; then
    exec cargo nextest run --locked --profile "$profile" "$@"
fi
echo "cargo-nextest is not installed: using cargo test (cargo install --locked cargo-nextest)" >&2
exec cargo test --locked "$@"
