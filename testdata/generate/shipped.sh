#!/bin/sh
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
