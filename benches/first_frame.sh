#!/bin/sh
# The first frame and the receipts, on ledgers of about 50, 100 and 200 MB (made
# once, kept in target/).
set -eu
cd "$(dirname "$0")/.."
mkdir -p "${CARGO_TARGET_DIR:-target}"
# The program is started elsewhere: names are absolute.
target=$(cd "${CARGO_TARGET_DIR:-target}" && pwd)
files=
for claims in 95 190 380; do
    ledger=$target/ledger-$claims.json
    if [ ! -s "$ledger" ]; then
        cargo run --release -q -p attest-grading --example long_ledger -- "$claims" >"$ledger.part"
        mv "$ledger.part" "$ledger"
    fi
    files="$files $ledger"
done
# shellcheck disable=SC2086
cargo bench -q --bench first_frame -- $files
