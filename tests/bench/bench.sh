#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures import and exports on generated captures, and beside them what this machine can do at most.
#
# usage: bench.sh BUILD_DIR
#   BENCH_SIZES   device records of each capture (100000 1000000 10000000)
#   BENCH_RUNS    runs of each measurement; the median counts (3)
#   TMPDIR        where captures and results go (/tmp); 10 million records need 7 GB there for a while
#
# The captures hold a network of about a thousand tasks in one inference, so that 10 million records are 10 thousand
# inferences, and 500 ACL calls. Nothing is asserted about time.
set -euo pipefail

build=$1
sizes=${BENCH_SIZES:-100000 1000000 10000000}
runs=${BENCH_RUNS:-3}
measure=$build/tests/bench/measure
ceiling=$build/tests/bench/ceiling
msprof=$build/msprof
umask 0027

directory=$(mktemp -d "${TMPDIR:-/tmp}/msprof-bench.XXXXXX")
trap 'rm -rf "$directory"' EXIT

# The median of one column of the lines on standard input.
median() {
    sort -n -k "$1,$1" | awk -v column="$1" '{ value[NR] = $column } END { print value[int((NR + 1) / 2)] }'
}

largest() {
    sort -n -k "$1,$1" | awk -v column="$1" 'END { print $column }'
}

# Runs msprof a few times: its wall times and peak memory go to $directory/times, its last words to $directory/words.
run_msprof() {
    rm -f "$directory/times"
    for ((run = 0; run < runs; run++)); do
        "$measure" "$directory/times" "$msprof" "$@" 2>"$directory/words" >/dev/null || {
            cat "$directory/words" >&2
            return 1
        }
    done
}

# "... N events, ..." in msprof's last words
count_of() {
    local count
    count=$(sed -n "s/.* \([0-9][0-9]*\) $1.*/\1/p" "$directory/words" | tail -1)
    if [ -z "$count" ]; then
        echo "bench.sh: msprof did not say how many $1:" >&2
        cat "$directory/words" >&2
        return 1
    fi
    echo "$count"
}

# Runs ceiling a few times; prints the median.
run_ceiling() {
    for ((run = 0; run < runs; run++)); do
        "$ceiling" "$@"
    done | median 1
}

million_per_second() { # count, microseconds
    awk -v count="$1" -v time="$2" 'BEGIN { printf "%.2f", count / time }'
}

scaled() { # value, divisor, decimals
    awk -v value="$1" -v divisor="$2" -v decimals="$3" 'BEGIN { printf "%.*f", decimals, value / divisor }'
}

row() {
    printf '%10s %8s | %7s %7s %7s %6s | %7s %7s %6s | %7s %7s %6s | %7s %7s %7s\n' "$@"
}

# Measures one size and prints its row.
bench_size() {
    local size=$1 capture records bytes
    local import_us import_kib timeline_us timeline_kib events summary_us summary_kib rows
    capture=$("$build/make-capture" --output "$directory" --seed 1 --records "$size" --layers 1600 --ai-cpu off \
        --api-calls 500 2>"$directory/words")
    records=$(count_of "device records")
    bytes=$(wc -c <"$capture/data/aicore.0.1.1")

    run_msprof import --force -dir "$capture"
    import_us=$(median 1 <"$directory/times") import_kib=$(largest 2 <"$directory/times")
    run_msprof export timeline -dir "$capture"
    timeline_us=$(median 1 <"$directory/times") timeline_kib=$(largest 2 <"$directory/times") events=$(count_of events)
    run_msprof export summary -dir "$capture"
    summary_us=$(median 1 <"$directory/times") summary_kib=$(largest 2 <"$directory/times") rows=$(count_of rows)
    rm -rf "$capture/timeline" "$capture/summary" "$capture/sqlite"

    row "$records" "$(scaled "$bytes" 1000000 0)" \
        "$(scaled "$import_us" 1000000 2)" "$(million_per_second "$records" "$import_us")" \
        "$(million_per_second "$bytes" "$import_us")" "$(scaled "$import_kib" 1024 0)" \
        "$(scaled "$timeline_us" 1000000 2)" "$(million_per_second "$events" "$timeline_us")" "$(scaled "$timeline_kib" 1024 0)" \
        "$(scaled "$summary_us" 1000000 2)" "$(million_per_second "$rows" "$summary_us")" "$(scaled "$summary_kib" 1024 0)" \
        "$(scaled "$(run_ceiling read "$capture/data/aicore.0.1.1")" 1000000000 1)" \
        "$(scaled "$(run_ceiling write "$directory/written" "$bytes")" 1000000000 1)" \
        "$(scaled "$(run_ceiling insert "$directory/ceiling.db" "$records")" 1000000 2)"
    rm -rf "$capture"
}

# Timelines of one size in every format.
bench_formats() {
    local capture format us
    capture=$("$build/make-capture" --output "$directory" --seed 1 --records "$1" --layers 1600 --ai-cpu off \
        --api-calls 500 2>"$directory/words")
    "$msprof" -q import -dir "$capture"
    for format in json pftrace-raw json.gz pftrace; do
        run_msprof export timeline -dir "$capture" --format "$format" --output "$directory/formats"
        us=$(median 1 <"$directory/times")
        printf '%12s | %7s %7s %7s %7s\n' "$format" "$(scaled "$us" 1000000 2)" \
            "$(million_per_second "$(count_of events)" "$us")" \
            "$(scaled "$(find "$directory/formats/timeline" -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')" 1000000 1)" \
            "$(scaled "$(largest 2 <"$directory/times")" 1024 0)"
        rm -rf "$directory/formats"
    done
    rm -rf "$capture"
}

echo "medians of $runs runs on $(nproc) processors; peak memory: the largest; M: million"
row "" "" import "" "" "" timeline "" "" summary "" "" ceilings "" ""
row records MB s Mrec/s MB/s MiB s Mev/s MiB s Mrow/s MiB 'read' write insert
row "" "" "" "" "" "" "" "" "" "" "" "" GB/s GB/s Mrow/s
for size in $sizes; do
    bench_size "$size"
done

echo
printf '%12s | %7s %7s %7s %7s   of %s records\n' timeline s Mev/s MB MiB "${sizes%% *}"
bench_formats "${sizes%% *}"
