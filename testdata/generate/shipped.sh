#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes the captures that are shipped in testdata/.  usage: shipped.sh BUILD_DIR OUTPUT_DIR
set -eu

build=$1
output=$2

# A residual network, four samples of twenty inferences, AI CPU tasks, a few hundred API calls.
"$build/make-capture" --output "$output/resnet50" --seed 50 --model resnet50:6 --inferences 4 --interval 5

# Everything there can be several of, with a short network: devices, models (one with dots and blanks in its name), batch
# numbers, inputs and streams.
"$build/make-capture" --output "$output/small" --seed 7 --layers 16 --devices 2 --model detector:3 --model 'face v1.2 人脸:4' \
    --batch 1 --batch 4 --inputs 2 --inferences 2 --streams 2 --api-calls 40 --frequency 475

"$build/make-figures" "$output/figures"

# Captures of Ascend's software, a few hundred records each, and what is to come of them: recalculated from the raw bytes.
# Nothing of these scripts is left beside them.
export PYTHONDONTWRITEBYTECODE=1
make=$(dirname "$0")/cann
recompute=$(dirname "$0")/../../tests/cann/lib

cann() { # name, script that writes it, scripts that recalculate its tables, options
    name=$output/cann/$1 writer=$2 scripts=$3
    shift 3
    python3 "$make/$writer" "$name" "$@"
    for script in $scripts; do
        python3 "$recompute/$script" --tables "$name/expected" "$name"/PROF_*
    done
}

cann prof-910b make_prof.py recompute.py --chip 5 --count 100
cann prof-910a make_prof.py recompute.py --chip 1 --count 100
cann system-910b make_system.py "recompute.py recompute_system.py" --chip 5 --count 24
cann system-910a make_system.py "recompute.py recompute_system.py" --chip 1 --count 24
cann 2022-310 make_2022.py recompute_2022.py --chip 0 --count 100
cann 2022-910a make_2022.py recompute_2022.py --chip 1 --count 100
cann job-910a make_job.py '' # writes what ran by itself
