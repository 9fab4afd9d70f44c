#!/bin/sh
# Installs the real counterparts that the `peers` tests talk with, at pinned versions, into target/peers.
# Run it again at any time: what is there already is left alone.
set -eu
cd "$(dirname "$0")/.."
peers="$PWD/target/peers"
mkdir -p "$peers"
# Two runs at once would take away what the other installs.
exec 9>"$peers/.lock"
flock 9

# venv NAME PACKAGE==VERSION...: a Python environment of its own for one counterpart.
venv() {
    name=$1
    shift
    stamp="$peers/$name/.installed"
    if [ "$(cat "$stamp" 2>/dev/null || true)" = "$*" ]; then
        return
    fi
    rm -rf "${peers:?}/$name"
    python3 -m venv "$peers/$name"
    "$peers/$name/bin/pip" install --quiet --disable-pip-version-check "$@"
    echo "$*" > "$stamp"
}

# llmock: a fake model vendor that injects faults and judges the client (MIT).
venv llmock llmock==0.2.2

# openai: the official client of the OpenAI API, for our own compatible door (Apache-2.0).
venv openai-sdk openai==3.57.0

# anthropic: the streams that the official client of the Messages API is tested with (MIT). Only its source package has them.
streams="$peers/anthropic-streams"
version=2.14.0
if [ "$(cat "$streams/.installed" 2>/dev/null || true)" != "$version" ]; then
    rm -rf "$streams"
    mkdir -p "$streams"
    "$peers/openai-sdk/bin/pip" download --quiet --disable-pip-version-check --no-deps --no-binary anthropic \
        --dest "$streams" "anthropic==$version"
    tar -xzf "$streams/anthropic-$version.tar.gz" -C "$streams" --strip-components=5 \
        "anthropic-$version/tests/lib/streaming/fixtures"
    rm "$streams/anthropic-$version.tar.gz"
    echo "$version" > "$streams/.installed"
fi

echo "peers are ready in $peers"
