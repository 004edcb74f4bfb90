#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The manual in Chinese says what the one in English says: options, commands, statuses, files, numbers and examples are the same.
# bats file_tags=once
# shellcheck disable=SC2154 # common.bash sets repository and scratch

load ../cli/common

setup() {
    enter_scratch
    built=$(dirname "$(readlink -f "$MSPROF")")/man # as the pages are built
    export MSPROF # of which translation.py has what pages with a .in are made of
    pages=("$repository"/man/zh_CN/man1/*)
}

compare() { # the page in English, the one in Chinese
    python3 "$repository/tests/lib/translation.py" "$1" "$2"
}

@test "each page in Chinese has the sections, options, commands, statuses, files, numbers and examples of the one in English" {
    needs python3
    [ "${#pages[@]}" -ge 8 ]
    for page in "${pages[@]}"; do
        name=${page##*/}
        compare "$built/${name%.in}" "$page"
    done
}

@test "what a page in Chinese lacks, or has alone, is found" {
    needs python3
    page=$repository/man/zh_CN/man1/msprof-report.1
    english=$built/msprof-report.1
    changes=('s/^\.It Fl -redact$/.It Fl -redacts/' '/^\.It Fl -source /d' 's/^\.Cm memory_peak$/.Cm memory_peaks/' 's/4,000/40,000/'
        's/^状态 3 /状态 4 /' 's/^\.Pa PROF\*/.Pa PROF/' '/^\.Sh FILES/d' 's/^\$ msprof report JOBX --redact/$ msprof report JOBX/'
        's/^\.Op Fl -redact$/.Op Fl -hide/' 's/^\.Xr msprof-op 7/.Xr msprof-op 1/' 's/SHA-256/SHA-1/' '0,/^\.It Sy/{/^\.It Sy/d}')
    for change in "${changes[@]}"; do
        sed "$change" "$page" >changed.1
        run cmp -s "$page" changed.1
        [ "$status" -eq 1 ]
        run compare "$english" changed.1
        [ "$status" -eq 1 ] || { echo "not found: $change"; false; }
        # and the other way round: what the page in English has in vain
        sed "$change" "$english" >english.1
        cmp -s "$english" english.1 && continue
        run compare english.1 "$page"
        [ "$status" -eq 1 ] || { echo "not found in English: $change"; false; }
    done
}

@test "the pages in Chinese are sound mdoc in UTF-8" {
    needs mandoc
    for page in "${pages[@]}"; do
        iconv -f UTF-8 -t UTF-8 "$page" >/dev/null
        mandoc -T lint -W warning "$built/zh_CN/man1/$(basename "$page" .in)"
    done
}

@test "a page in Chinese breaks its lines at 80 columns, and no line begins with what closes" {
    needs groff python3
    for page in "${pages[@]}"; do
        groff -k -Tutf8 -mandoc -P-c "$built/zh_CN/man1/$(basename "$page" .in)" 2>warnings | col -bx >text
        [ ! -s warnings ]
        python3 - text "${page##*/}" <<'END'
import sys, unicodedata
lines = 0
for line in open(sys.argv[1], encoding="utf-8"):
    line = line.rstrip("\n")
    lines += any(ord(c) > 0x2fff for c in line)
    width = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
    if any(ord(c) > 0x2fff for c in line):
        assert width <= 80, (sys.argv[2], width, line)
        assert line.lstrip()[0] not in "，。；：、）", (sys.argv[2], line)
        assert " ，" not in line and " 。" not in line and "， " not in line and " 、" not in line, (sys.argv[2], line)
assert lines > 20, lines
END
    done
}

@test "the data problems in msprof-import(1) in Chinese are worded as the program's messages are" {
    needs python3
    [ -e "$repository/po/zh_CN.po" ] || skip "there is no catalogue"
    run python3 - "$repository/po/zh_CN.po" "$repository/man/msprof-import.1" "$repository/man/zh_CN/man1/msprof-import.1" <<'END'
import re, sys
catalogue = {}
for entry in re.findall(r'msgid ((?:"[^\n]*"\n)+)msgstr ((?:"[^\n]*"\n)+)', open(sys.argv[1], encoding="utf-8").read()):
    english, chinese = ("".join(re.findall(r'"(.*)"', part)) for part in entry)
    catalogue[english] = chinese

def problems(path, remedy):
    text = open(path, encoding="utf-8").read()
    text = text[text.index(".Sh DIAGNOSTICS"):text.index(".Sh SEE ALSO")]
    found = {}
    for name, words in re.findall(r"\.It Cm (\S+) Pq \w+\n(.*?)(?=\n\.It|\n\.El)", text, re.S):
        words = " ".join(re.sub(r"^\.Xr (\S+) (\d) ?([.,;)]*)$", r"\1(\2)\3", words, flags=re.M).split())
        found[name] = [re.sub(r" (?=[，。；）])", "", part).strip().rstrip(".。") for part in words.split(remedy)]
    return found

def blanks(text):
    return re.sub(r"\s+", "", text)

english, chinese = problems(sys.argv[2], "Remedy:"), problems(sys.argv[3], "处理方法：")
assert english.keys() == chinese.keys()
compared = 0
for name, parts in english.items():
    for part, theirs in zip(parts, chinese[name]):
        # a few say more in the manual than in the message
        message = catalogue.get(part[0].lower() + part[1:], catalogue.get(part, ""))
        if message:
            compared += 1
            if blanks(message) != blanks(theirs):
                print(f"{name}: the message is '{message}', the manual has '{theirs}'")
print(compared)
END
    expect_equal "$status" 0
    # all but the three that the manual describes at greater length
    [ "$(tail -n 1 <<<"$output")" -ge 150 ]
    expect_equal "$(sed '$d' <<<"$output")" ""
}

@test "man shows the pages in Chinese where the language is zh_CN, and those in English where it is another one" {
    needs man localedef groff
    mkdir -p locales manual/man1 manual/zh_CN
    for language in zh_CN zh_TW; do
        localedef -i "$language" -f UTF-8 "locales/$language.UTF-8" 2>/dev/null || skip "the sources of locales are not installed"
    done
    cp "$built"/*.1 manual/man1
    cp -r "$built/zh_CN/man1" manual/zh_CN
    export MANPATH=$PWD/manual MANPAGER=cat LOCPATH=$PWD/locales MANWIDTH=80
    for language in zh_CN.UTF-8:比较采集数据并检查门限 'zh_TW.UTF-8:compare captures and check gates' 'C:compare captures and check gates'; do
        expect_contains "$(LC_ALL=${language%%:*} man msprof-diff)" "${language#*:}"
    done
    # a page that has no translation is shown in English
    expect_contains "$(LC_ALL=zh_CN.UTF-8 man msprof-sql)" "run a query on the database of a capture"
}

compare_readmes() { # the one in English, the one in Chinese
    python3 "$repository/tests/lib/readme_translation.py" "$1" "$2"
}

@test "the README in Chinese has the commands, pictures, links, names and numbers of the one in English, and what it lacks is found" {
    needs python3
    cd "$repository"
    compare_readmes README.md README.zh-CN.md
    # shellcheck disable=SC2016 # the backticks are those of the README
    for change in 's/^msprof advise JOBX /msprof advice JOBX /' '/^msprof query/d; s/`msprof query`/`msprof list`/' 's/timeline\.png/time.png/' \
        '/^| 130 |/d' 's/0\.13 GB/0.31 GB/' 's/^## .*//' 's/msprof-cann(7)/msprof-cann(5)/' 's/\](README[^)]*)/](other)/' '/^\* .*libmsprof_acl/d' \
        's|^    tools/tour.sh|    tools/tours.sh|'; do
        for page in README.md README.zh-CN.md; do
            sed "$change" "$page" >"$scratch/$page"
            run cmp -s "$page" "$scratch/$page"
            [ "$status" -eq 1 ] || { echo "changes nothing in $page: $change"; false; }
        done
        run compare_readmes README.md "$scratch/README.zh-CN.md"
        [ "$status" -eq 1 ] || { echo "not found: $change"; false; }
        run compare_readmes "$scratch/README.md" README.zh-CN.md
        [ "$status" -eq 1 ] || { echo "not found in English: $change"; false; }
    done
}

@test "the README in Chinese leads to what exists" {
    cd "$repository"
    count=0
    while IFS= read -r path; do
        [ -e "$path" ] || { echo "README.zh-CN.md names $path"; false; }
        count=$((count + 1))
    done < <(grep -ohE '\]\([A-Za-z][^):]*\)' README.zh-CN.md | sed 's/^](\(.*\))$/\1/' | sort -u)
    [ "$count" -ge 3 ]
}
