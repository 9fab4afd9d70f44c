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

echo "peers are ready in $peers"
