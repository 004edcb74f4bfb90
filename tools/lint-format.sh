#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# usage: tools/lint-format.sh DIRECTORY
# Checks the format of the files that DIRECTORY/format.due lists; all have their stamps DIRECTORY/FILE.format if all passed.
set -eu

sort -u "$1/format.due" >"$1/format.list"
rm "$1/format.due" # what fails is due again, because it has no stamp
echo "  FORMAT  $(wc -l <"$1/format.list") files"
xargs -a "$1/format.list" -d '\n' clang-format --dry-run -Werror
while read -r file; do
    echo "$1/$file.format"
done <"$1/format.list" >"$1/format.stamps"
xargs -a "$1/format.stamps" -d '\n' dirname -- | sort -u | xargs -d '\n' mkdir -p
xargs -a "$1/format.stamps" -d '\n' touch
