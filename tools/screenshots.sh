#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Takes pictures of the report about the shipped capture with headless Chromium, for README.md.
#
# usage: screenshots.sh MSPROF [DIRECTORY]
#   DIRECTORY   where the pictures go (docs/pictures)
set -euo pipefail

msprof=$1
repository=$(cd "$(dirname "$0")/.." && pwd)
pictures=${2:-$repository/docs/pictures}

if ! command -v chromium >/dev/null; then
    echo "screenshots.sh: chromium is not installed: nothing is taken" >&2
    exit 0
fi
scratch=$(mktemp -d "${TMPDIR:-/tmp}/msprof-pictures.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$pictures"
"$msprof" -q report "$repository"/testdata/resnet50/JOB* --results "$scratch/results" --peak-bandwidth 12.8 -o "$scratch/report.html"

# A picture of some parts of the page: its name, their selector, behind rules of its own, its width and height, how it looks.
picture() {
    local name=$1 shown=$2 size=$3
    shift 3
    sed "s@</head>@<style>nav,section,footer{display:none}$shown{display:block}</style></head>@" "$scratch/report.html" >"$scratch/part.html"
    chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$scratch/profile" --window-size="$size" \
        "$@" --screenshot="$pictures/$name.png" "file://$scratch/part.html" >/dev/null 2>&1
    echo "$pictures/$name.png"
}

picture report '.findings .scroll{display:none}#c1-time,#c1-findings' 1000,840
picture roofline '.scroll,.filter{display:none}#c1-limits' 1000,560 --force-dark-mode
