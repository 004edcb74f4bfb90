#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks which folder may include which. The core (base, parsers, db, exporters, ssh, cli) knows no feature; features know the
# core, and of each other the pairs below. Prints FILE:LINE: what is wrong.
# usage: tools/lint-includes.sh [--count]   --count: how many includes lead from the core to features, and between features
set -euo pipefail
cd "$(dirname "$0")/.."

# AREA: folders and headers that it may include beside its own. A file is of the longest area that it stands in.
areas='
base:
parsers: base kind_list.h tree_list.h
db: base parsers/record.h parsers/capture/capture.h parsers/decode/decode.h
exporters: base db parsers/record.h parsers/series.h tree_list.h export_extension_list.h exporters/table exporters/timeline
exporters/table: base db parsers/record.h parsers/series.h report_list.h report_texts.h exporters/* exporters/counters exporters/reports
exporters/timeline: base db parsers/record.h parsers/series.h track_list.h exporters/* exporters/counters exporters/reports
ssh: base
cli: base parsers db exporters ssh acl/subscribe command_list.h command_extension_list.h catalogue_zh_CN.h
api: base parsers db exporters features msprof/msprof.h
acl: base features/options/rule.h msprof mstx preload_functions.h
testdata: base parsers features/cluster
features: base parsers db exporters rule_list.h tree_list.h
features/cluster/mpi: base cli'
# FEATURE: features that it may know.
pairs='
answers: communication diff feature.h frameworks options page
cluster: answers communication frameworks
communication: answers frameworks
diff: answers feature.h page
feature.h: answers diff
flame: answers frameworks page
frameworks: communication viewerdb
opprof: answers diff feature.h page
options: answers opprof
tui: answers diff feature.h
page: answers cluster diff feature.h flame
viewerdb: communication frameworks'
most_upward=10 # includes of the core that name a feature. Whoever makes them fewer lowers it

find base parsers db exporters features ssh api acl cli testdata -name '*.[ch]' -print0 |
    xargs -0 grep -nHE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' |
    sed -E 's/^([^:]+:[0-9]+):[^"]*"([^"]+)".*/\1 \2/' |
    awk -v areas="$areas" -v pairs="$pairs" -v most_upward="$most_upward" -v count="${1:-}" '
        function learn(text, table, n, i, lines, at) {
            n = split(text, lines, "\n")
            for (i = 1; i <= n; i++) {
                at = index(lines[i], ":")
                if (at) table[substr(lines[i], 1, at - 1)] = substr(lines[i], at + 1) " "
            }
        }
        function feature_of(path, parts) {
            if (path !~ /^features\//) return ""
            split(path, parts, "/")
            return parts[2]
        }
        function area_of(path) {
            while (sub(/\/[^\/]*$/, "", path)) if (path in allowed) return path
            return path
        }
        # Whether one of the words names the header: itself, a folder that it stands in, or with /* the folder that it stands in.
        function names(words, header, n, i, word) {
            n = split(words, word, " ")
            for (i = 1; i <= n; i++) {
                if (word[i] == header || index(header, word[i] "/") == 1) return 1
                if (word[i] ~ /\/\*$/ && header ~ ("^" substr(word[i], 1, length(word[i]) - 1) "[^/]+$")) return 1
            }
            return 0
        }
        BEGIN { learn(areas, allowed); learn(pairs, known) }
        {
            at = $1; header = $2; file = at; sub(/:.*/, "", file)
            area = area_of(file); own = feature_of(file); other = feature_of(header)
            core = file ~ /^(base|parsers|db|exporters|ssh|cli)\//
            if (core && other != "") { upward[++ups] = at; continues = 1 } else continues = 0
            if (own != "" && other != "" && own != other) between++
            if (continues || area_of(header) == area || names(allowed[area], header)) next
            if (own != "" && (own == other || (other != "" && names(known[own], other)))) next
            if (file ~ /^features\/[a-z]+\/commands\// && names("cli ssh acl/subscribe resource_list.h", header)) next
            print at ": " (own == "" ? area : "features/" own) "/ must not include \"" header "\" (see docs/architecture.md)"
            findings++
        }
        END {
            if (count != "") print ups + 0 " includes lead from the core to features, " between + 0 " from one feature to another"
            if (ups > most_upward) {
                for (i = 1; i <= ups; i++) print upward[i] ": the core must not name a feature: what it needs registers"
                findings += ups
            }
            exit findings > 0
        }' >&2
