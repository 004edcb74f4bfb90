#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The Chinese catalogue is complete, agrees with the English texts, and fits the screens that it stands on.
# bats file_tags=once
# shellcheck disable=SC2154 # of ../cli/common

load ../cli/common

fails() { # command
    if "$@"; then
        return 1
    fi
}

setup() {
    enter_scratch
}

@test "every text of the program is in the catalogue, with the placeholders, options and units of the English one" {
    needs python3
    "$repository/po/check.py"
}

@test "a text without a translation, another placeholder, a wide line of the help and a gone text are found" {
    needs python3
    { sed -e '/^msgid "out of memory"$/,/^msgstr/s/^msgstr .*/msgstr ""/' \
        -e "/^msgid \"cannot open '%s'\"\$/,/^msgstr/s/^msgstr .*/msgstr \"%d\"/" \
        -e '/^msgid "indent JSON files"$/,/^msgstr/s/^msgstr .*/msgstr "一二三四五六七八九十一二三四五六七八九十一二三四五六七八九十"/' \
        -e '/^msgid "--%s takes no value"$/,/^msgstr/s/^msgstr .*/msgstr "--%s --help"/' "$repository/po/zh_CN.po" &&
        printf '\nmsgid "no such text"\nmsgstr "没有"\n'; } >broken.po
    fails "$repository/po/check.py" broken.po 2>findings
    expect_equal "$(wc -l <findings)" 5
    expect_contains "$(<findings)" '"out of memory" has no translation'
    expect_contains "$(<findings)" "placeholders %d, in English %s"
    expect_contains "$(<findings)" "of the help is wider than 54 columns"
    expect_contains "$(<findings)" '"no such text" is no text of the program any more'
    expect_contains "$(<findings)" "options ['--help'], in English []"
}

@test "a message that nothing looks up is found" {
    needs python3
    mkdir -p tree/{base,parsers,db,exporters,features,ssh,cli}
    cp -R "$repository/po" tree/po
    printf '%s\n' 'static void f(void) { say("this file has no end, and nothing follows"); }' >tree/cli/new.c
    fails tree/po/check.py >out 2>&1
    expect_contains "$(<out)" 'cli/new.c:1: "this file has no end, and nothing follows" looks like a message'
}

@test "msgfmt accepts the catalogue" {
    needs msgfmt
    msgfmt -c -o catalogue.mo "$repository/po/zh_CN.po"
    msgfmt --statistics -o catalogue.mo "$repository/po/zh_CN.po" 2>err
    fails grep -E 'fuzzy|untranslated' err
}

@test "the template is what the sources have, and make po-update changes nothing" {
    needs python3
    "$repository/po/extract.py" >template.pot
    # Lines of sources move with every change: the texts alone count.
    cmp <(grep -v '^#: ' template.pot) <(grep -v '^#: ' "$repository/po/msprof.pot")
    cp "$repository/po/zh_CN.po" zh_CN.po
    "$repository/po/update.py" template.pot zh_CN.po
    cmp <(grep -v '^#' zh_CN.po) <(grep -v '^#' "$repository/po/zh_CN.po")
}

@test "an English text that changed a little keeps its translation as a fuzzy one, which the program does not say" {
    needs python3
    sed 's/^msgid "cannot write to standard output"$/msgid "cannot write to the standard output"/' "$repository/po/msprof.pot" >new.pot
    cp "$repository/po/zh_CN.po" zh_CN.po
    run "$repository/po/update.py" new.pot zh_CN.po
    expect_contains "$output" "1 without a translation, for 1 of them"
    grep -B 1 '^msgid "cannot write to the standard output"$' zh_CN.po | grep -q '^#, fuzzy$'
    awk -f "$repository/po/catalogue.awk" zh_CN.po >messages
    fails grep -q 'cannot write to the standard output' messages
}
