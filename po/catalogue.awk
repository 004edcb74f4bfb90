# SPDX-License-Identifier: Apache-2.0
# Makes a list for cli/language.c of a catalogue: MESSAGE("English", "translation") for each text that is translated. Texts that
# are fuzzy, obsolete or empty are left out. Strings of PO files have the escapes of C.
# usage: awk -f po/catalogue.awk po/zh_CN.po >catalogue.h

# As C has what xgettext writes for a macro of <inttypes.h>.
function expand(text) {
    while (match(text, /<PRI[a-zA-Z0-9]+>/))
        text = substr(text, 1, RSTART - 1) "\" " substr(text, RSTART + 1, RLENGTH - 2) " \"" substr(text, RSTART + RLENGTH)
    return text
}

function finish() {
    if (id != "" && id != "\"\"" && translation != "" && translation !~ /^("" *)*$/ && !fuzzy)
        print "MESSAGE(" expand(id) ", " expand(translation) ")"
    id = translation = part = ""
    fuzzy = 0
}

/^#~/ { next }
/^#,.*fuzzy/ { finish(); fuzzy = 1; next }
/^#/ { if (part == "str") finish(); next }
/^msgid_plural / { part = "plural"; next }
/^msgid / { if (part == "str") finish(); part = "id"; id = substr($0, 7); next }
/^msgstr(\[0\])? / { part = "str"; sub(/^msgstr(\[0\])? /, ""); translation = $0; next }
/^msgstr\[/ { part = "more"; next }
/^"/ { if (part == "id") id = id " " $0; else if (part == "str") translation = translation " " $0; next }
/^$/ { if (part != "") finish() }
END { finish() }
