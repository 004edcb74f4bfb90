#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Takes pictures of the shipped capture's timeline and report with headless Chromium, for README.md.
#
# usage: screenshots.sh MSPROF [DIRECTORY]
#   DIRECTORY   where the pictures go (docs/pictures)
set -euo pipefail

msprof=$1
repository=$(cd "$(dirname "$0")/.." && pwd)
pictures=${2:-$repository/docs/pictures}

if ! command -v chromium >/dev/null || ! command -v python3 >/dev/null; then
    echo "screenshots.sh: chromium or python3 is not installed: nothing is taken" >&2
    exit 0
fi
scratch=$(mktemp -d "${TMPDIR:-/tmp}/msprof-pictures.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$pictures"
capture=$(echo "$repository"/testdata/resnet50/JOB*)
"$msprof" -q report "$capture" --results "$scratch" -o "$scratch/report.html"
"$msprof" -q export timeline "$capture" --output "$scratch" --from 350ms --until 382ms

"$repository/tools/timeline_picture.py" "$scratch/timeline/msprof_0.resnet50.6.1.json" "$pictures/timeline.png" 1200,630
# The first screen of the page.
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$scratch/profile" --window-size=1400,900 \
    --screenshot="$pictures/report.png" "file://$scratch/report.html" >/dev/null 2>&1
echo "$pictures/timeline.png" "$pictures/report.png"
