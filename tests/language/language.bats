#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The program speaks Chinese to who wants it, English to everybody else and to every script.
# shellcheck disable=SC2154 # of ../cli/common

load ../cli/common

fails() { # command
    if "$@"; then
        return 1
    fi
}

setup() {
    enter_scratch
    unset LANGUAGE LC_ALL LC_MESSAGES LC_CTYPE LANG
    "$MSPROF" help --manual synopsis >/dev/null
    [ "$(LANG=zh_CN.UTF-8 "$MSPROF" --help | head -n 1)" != "$("$MSPROF" --help | head -n 1)" ] ||
        skip "this program was built with NLS=no"
}

# The language of a message: "en" or "zh".
language() {
    env "$@" "$MSPROF" no-such-command 2>err || :
    case $(<err) in
    *"is not a command of"*) echo en ;;
    *"不是 'msprof' 的命令"*) echo zh ;;
    *) cat err ;;
    esac
}

# The columns of the widest line of standard input: an ideograph has two.
widest() {
    python3 -c '
import sys, unicodedata
print(max(sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line.rstrip("\n")) for line in sys.stdin))'
}

@test "the language is that of LC_ALL, LC_MESSAGES or LANG, the first that is set, and LANGUAGE goes before it" {
    expect_equal "$(language LANG=zh_CN.UTF-8)" zh
    expect_equal "$(language LANG=zh_CN.utf8)" zh
    expect_equal "$(language LANG=en_US.UTF-8)" en
    expect_equal "$(language LANG=en_US.UTF-8 LC_MESSAGES=zh_CN.UTF-8)" zh
    expect_equal "$(language LANG=zh_CN.UTF-8 LC_MESSAGES=de_DE.UTF-8)" en
    expect_equal "$(language LANG=zh_CN.UTF-8 LC_ALL=en_US.UTF-8)" en
    expect_equal "$(language LANG=zh_CN.UTF-8 LC_ALL=)" zh
    expect_equal "$(language LANG=en_US.UTF-8 LANGUAGE=zh_CN)" zh
    expect_equal "$(language LANG=C.UTF-8 LANGUAGE=zh_CN:en)" zh
    expect_equal "$(language LANG=zh_CN.UTF-8 LANGUAGE=en:zh_CN)" en
    expect_equal "$(language LANG=zh_CN.UTF-8 LANGUAGE=de:zh_CN)" zh
    expect_equal "$(language LANG=zh_CN.UTF-8 LANGUAGE=)" zh
}

@test "without a locale, in C and POSIX, in another character set and in zh_TW the language is English" {
    expect_equal "$(language A=1)" en
    expect_equal "$(language LANG=C LANGUAGE=zh_CN)" en
    expect_equal "$(language LC_ALL=POSIX LANG=zh_CN.UTF-8)" en
    expect_equal "$(language LANG=zh_CN)" en
    expect_equal "$(language LANG=zh_CN.GB18030)" en
    expect_equal "$(language LANG=zh_CN.UTF-8 LC_CTYPE=zh_CN.GB2312)" en
    expect_equal "$(language LANG=zh_TW.UTF-8)" en
    expect_equal "$(language LANG=zh_HK.UTF-8 LANGUAGE=zh_TW)" en
    expect_equal "$(wc -l <err)" 1
}

@test "a build with NLS=no speaks English alone, and says nothing of it" {
    awk -f "$repository/po/catalogue.awk" /dev/null >empty.h
    [ ! -s empty.h ]
    expect_contains "$(make -n -C "$repository" BUILD="$PWD/none" NLS=no "$PWD/none/release/generated/catalogue_zh_CN.h")" /dev/null
}

@test "the help of every command is in Chinese and fits 80 columns" {
    needs python3
    export LANG=zh_CN.UTF-8
    "$MSPROF" help --options | cut -f 1 | sort -u | while read -r _ command; do
        # shellcheck disable=SC2086 # the words of a command
        "$MSPROF" $command --help >help
        expect_contains "$(head -n 1 help)" "用法：msprof"
        expect_contains "$(<help)" "退出状态："
        [ "$(widest <help)" -le 80 ] || { echo "$command" && cat help && false; }
        # Of a line of an option nothing but names is English.
        fails grep -E '^ {26}[a-z]+ [a-z]+ [a-z]+' help
    done
}

@test "the help shows the same options in both languages" {
    "$MSPROF" help --options | cut -f 1 | sort -u | while read -r _ command; do
        # shellcheck disable=SC2086 # the words of a command
        cmp <("$MSPROF" $command --help | grep -oE '^  -[^ ]*(, -[^ ]+)*') \
            <(LANG=zh_CN.UTF-8 "$MSPROF" $command --help | grep -oE '^  -[^ ]*(, -[^ ]+)*')
    done
}

@test "show, advise and the page of a capture are in Chinese and fit 80 columns" {
    needs python3
    cp -R "$repository"/testdata/resnet50/JOB* JOB
    export LANG=zh_CN.UTF-8
    "$MSPROF" import JOB 2>/dev/null
    "$MSPROF" show JOB --width 80 >summary 2>err
    expect_contains "$(head -n 1 summary)" "项目"
    expect_contains "$(<summary)" "瓶颈"
    expect_contains "$(<summary)" "问题 1"
    expect_contains "$(<summary)" "每 5 次推理记录 1 次"
    [ "$(widest <summary)" -le 80 ]
    fails grep -E '[a-z]{3,} [a-z]{2,} [a-z]{2,}' summary
    "$MSPROF" show JOB --table ops --width 80 >table
    expect_contains "$(head -n 2 table)" "总耗时"
    [ "$(widest <table)" -le 80 ]
    COLUMNS=80 script -qec "'$MSPROF' advise JOB --no-pager" /dev/null </dev/null | tr -d '\r' >advice
    expect_contains "$(<advice)" "等待内存的时间多于计算时间的层占忙碌时间的"
    "$MSPROF" report JOB -o page.html 2>/dev/null
    expect_contains "$(head -c 200 page.html)" '<html lang="zh-CN"'
    expect_contains "$(<page.html)" "发现的问题"
    expect_contains "$(<page.html)" "时间去向"
    python3 - page.html <<'END' # what its scripts say
import html, re, sys
page = open(sys.argv[1]).read()
said = re.findall(r"say\('([^']*)'", page)
words = html.unescape(re.search('data-words="([^"]*)"', page)[1]).split('|')
of = dict(zip(words[::2], words[1::2]))
assert len(said) >= 14 and set(said) == set(of), set(said) ^ set(of)
assert all(sorted(re.findall(r'{\d}', text)) == sorted(re.findall(r'{\d}', of[text])) for text in of), of
END
}

@test "the columns of a table stand one below the other when ideographs are in its titles" {
    needs python3
    cp -R "$repository"/testdata/resnet50/JOB* JOB
    LANG=zh_CN.UTF-8 "$MSPROF" show JOB --table ops --columns total,count,name 2>/dev/null >table
    # In each line the last column begins at the same column of the terminal.
    python3 -c '
import sys, unicodedata
def width(text): return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
places = {width(line[:len(line) - len(line.split("  ")[-1])]) for line in open("table", encoding="utf-8").read().splitlines() if "  " in line}
print(places)
sys.exit(len(places) != 1)'
}

@test "what programs read is the same in every language: JSON, CSV, Markdown, files, exit statuses" {
    cp -R "$repository"/testdata/cann/prof-910b/PROF* PROF
    cp -R "$repository"/testdata/resnet50/JOB* JOB
    both() { # command
        LANG=C.UTF-8 "$MSPROF" "$@" >english 2>/dev/null && status=0 || status=$?
        LANG=zh_CN.UTF-8 "$MSPROF" "$@" >chinese 2>/dev/null && expect_equal 0 "$status" || expect_equal "$?" "$status"
        cmp english chinese
    }
    for capture in PROF JOB; do
        LANG=zh_CN.UTF-8 "$MSPROF" import "$capture" 2>/dev/null
        LANG=zh_CN.UTF-8 "$MSPROF" sql "$capture" "SELECT * FROM source_file" --format json >in_chinese
        for table in summary ops gaps steps bound diagnostics; do
            for format in json csv markdown; do
                both show "$capture" --table "$table" --format "$format"
            done
        done
        both advise "$capture" --format json
        both show "$capture" --titles en
        both show "$capture" --table ops --titles en
        both advise "$capture" --titles en
        both help --options
        both completion bash
        both query "$capture"
        for language in C.UTF-8 zh_CN.UTF-8; do
            mkdir -p "$language"
            LANG=$language "$MSPROF" export summary "$capture" --output "$language" --stable-names 2>/dev/null
            LANG=$language "$MSPROF" export timeline "$capture" --output "$language" --stable-names 2>/dev/null
        done
        diff -r -x sqlite -x log C.UTF-8 zh_CN.UTF-8
        [ -n "$(find C.UTF-8 -name '*.csv')" ]
        rm -rf C.UTF-8 zh_CN.UTF-8
    done
    both diff JOB JOB --format json
    both show nothing
    both show JOB --table no_such_table
}

@test "filters, sorting and columns keep their ids in Chinese" {
    cp -R "$repository"/testdata/resnet50/JOB* JOB
    export LANG=zh_CN.UTF-8
    "$MSPROF" show JOB --table ops --filter 'name~res5*' --sort name --columns name,total 2>/dev/null >chinese
    LANG=C.UTF-8 "$MSPROF" show JOB --table ops --filter 'name~res5*' --sort name --columns name,total 2>/dev/null >english
    cmp <(tail -n +2 chinese | tr -s " ") <(tail -n +2 english | tr -s " ")
    fails cmp <(head -n 1 chinese) <(head -n 1 english)
}

@test "a data problem is told in Chinese and stored in English" {
    cp -R "$repository"/testdata/resnet50/JOB* JOB
    touch JOB/data/unknown.data
    LANG=zh_CN.UTF-8 run "$MSPROF" import JOB
    expect_equal "$status" 3
    expect_contains "$output" "警告：data/unknown.data: 0 字节，不解析"
    expect_contains "$output" "请把它移出采集数据"
    "$MSPROF" sql JOB "SELECT message FROM diagnostics" --format csv >messages || [ $? -eq 3 ]
    expect_contains "$(<messages)" "move it out of the capture"
    LC_ALL=C fails grep -P '[^\x00-\x7f]' messages
}

@test "what each command prints for programs is the same in every language, in every format that it has" {
    cp -R "$repository"/testdata/resnet50/JOB* JOB
    cp -R JOB OTHER
    "$MSPROF" import JOB 2>/dev/null
    "$MSPROF" import OTHER 2>/dev/null
    mkdir RUN
    echo '{"l2": "on", "task_time": "9", "no_such_option": "1"}' >options.json
    "$MSPROF" help --options | cut -f 1-3 | grep -P '\t--format\t' >formats
    [ "$(wc -l <formats)" -ge 12 ]
    while IFS=$'\t' read -r command _ values; do
        for format in ${values//|/ }; do
            case "${command#msprof } $format" in
            show* | sql* | options* | kinds*) [ "$format" != table ] || continue ;;
            advise\ json | diff\ json | diff\ csv | doctor\ json | export* | cluster\ json | cluster\ csv) ;;
            advise* | diff* | doctor* | cluster* | report*) continue ;; # people read these
            esac
            case ${command#msprof } in
            show) words=(show JOB --table ops) ;;
            sql) words=(sql JOB "SELECT * FROM source_file ORDER BY id") ;;
            advise) words=(advise JOB) ;;
            diff) words=(diff JOB OTHER) ;;
            options) words=(options options.json --chip 5) ;;
            doctor) words=(doctor JOB) ;;
            kinds) words=(kinds) ;;
            cluster) words=(cluster RUN --table list) ;;
            export*) read -ra words <<<"${command#msprof } JOB --stable-names" ;;
            *) echo "this test knows no capture for '$command'" && false ;;
            esac
            for language in C.UTF-8 zh_CN.UTF-8; do
                mkdir "files_$language"
                [ "${words[0]}" != export ] || words=("${words[@]:0:4}" --output "files_$language")
                LANG=$language "$MSPROF" "${words[@]}" --format "$format" 2>/dev/null >"answer_$language" || :
                # Space and memory that are free differ from run to run, and the locale is part of the report.
                [ "${words[0]}" != doctor ] ||
                    sed -Ei 's/"(free_bytes|available)":[0-9]+//g; s/"name":"[^"]*","terminal"//' "answer_$language"
            done
            cmp answer_C.UTF-8 answer_zh_CN.UTF-8 || { echo "$command $format" && false; }
            diff -r -x sqlite -x log files_C.UTF-8 files_zh_CN.UTF-8
            [ -s answer_C.UTF-8 ] || [ -n "$(find files_C.UTF-8 -type f)" ] || [ "${words[0]}" = cluster ] || { echo "$command $format" && false; }
            rm -r files_*
        done
    done <formats
}
