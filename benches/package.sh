#!/bin/sh
# What verifying large packages costs, beside hashing the same file.
#
#   benches/package.sh [ROUNDS]
#
# Makes three kinds of package (kept in target/): 96,000 Inspector entries in
# arrays (98 MB), 22,600 inline units (22 MB) and 1,000 calls in one array of
# 16 MB, the last two also at half their size. Wanted: the first within three
# times `sha256sum` and one and a half times its size in memory; the others well
# under a second, growing in proportion. Rounds are interleaved; told are the
# median and the least, the least of processor time (which other work on the
# machine disturbs less), and the most memory. `assay`, where it is installed,
# is measured beside.
set -eu
cd "$(dirname "$0")/.."
rounds=${1:-7}
target=${CARGO_TARGET_DIR:-target}
# Not quiet: a build that waits for another one says so.
cargo build --release
cargo build --release -p attest-package --example large_packages
for made in arrays-96000 units-11300 units-22600 calls-500 calls-1000; do
    file=$target/package-$made.tar
    [ -s "$file" ] || "$target/release/examples/large_packages" "${made%-*}" "${made#*-}" "$file"
done
measure() {
    /usr/bin/time -q -a -f "%e %U %S %M" -o "$times" "$@" >/dev/null
}
tell() {
    sort -n "$1" | awk -v name="$2" -v size="$size" '
        { wall[NR] = $1; if ($4 > peak) peak = $4
          if (NR == 1 || $2 + $3 < busy) busy = $2 + $3 }
        END { printf "  %-10s median %.2f s, least %.2f s (%.2f s of CPU), %.2f of the file in memory\n",
              name, wall[int((NR + 1) / 2)], wall[1], busy, peak * 1024 / size }'
}
for made in arrays-96000 units-11300 units-22600 calls-500 calls-1000; do
    file=$target/package-$made.tar
    size=$(wc -c <"$file")
    echo "$made: $(((size + 500000) / 1000000)) MB"
    rm -f "$target"/times.*
    round=0
    while [ "$round" -lt "$rounds" ]; do
        times=$target/times.verify measure "$target/release/attest-tui" package verify "$file" --json
        times=$target/times.sha256sum measure sha256sum "$file"
        if command -v assay >/dev/null; then
            times=$target/times.assay measure assay evidence verify-incident-package "$file" || true
        fi
        round=$((round + 1))
    done
    for name in verify sha256sum assay; do
        [ ! -s "$target/times.$name" ] || tell "$target/times.$name" "$name"
    done
done
command -v assay >/dev/null || echo "assay is not installed: nothing to compare with but sha256sum"
