# SPDX-License-Identifier: Apache-2.0
# Makes a Chinese manual page fit for roff, which knows words by the blanks between them. Three things:
# * fullwidth punctuation sticks to the macro beside it: it stands at the begin of the text line after the macro,
#   or at the end of the one before;
# * .Ql and .Dq would enclose that punctuation, too: their quotes become characters;
# * a line may be broken between two characters ('\:'), but not before what closes or after what opens.
# Works on bytes, so that no locale is needed: LC_ALL=C sed -E -f tools/chinese-man.sed PAGE. Literal displays stay as they are.

/^\.Bd -literal/,/^\.Ed$/b
/^\.\\"/b
/^\.(Nd|Dt|Dd|Os|Sh|Ss)/b

:glue
$!N
s/(^|\n)\.Ql ([^\n]*)/\1.No \\(oq\2\\(cq/g
s/(^|\n)\.Dq ([^\n]*)/\1.No \\(lq\2\\(rq/g
# what was replaced so far is nothing to glue
t begin
:begin
/^\.(Fl|Cm|Ar|Pa|Xr|Ev|Va|Sy|Em|Li|Nm|Sx|Dv|Ic|No)( |\n|$)/{
    # the rest of the sentence becomes words of the macro's line, where a quote would begin an argument
    /"[^\n]*$/!s/\n((，|。|；|：|、|（|）|”|！|？).*)$/ Ns \1/
    t glue
    # a title in Chinese within a sentence
    s/([. ]Sx [^ \n]*)\n([\xE3-\xE9])/\1 Ns \2/
    t glue
    s/(，|。|；|：|、|（|）|“|！|？)\n\.(Fl|Cm|Ar|Pa|Xr|Ev|Va|Sy|Em|Li|Nm|Sx|Dv|Ic|No)( |\n|$)/\1 Ns \2\3/
    t glue
}
/^[^.].*\n/s/(，|。|；|：|、|（|）|“|！|？)(\n\.(Fl|Cm|Ar|Pa|Xr|Ev|Va|Sy|Em|Li|Nm|Sx|Dv|Ic|No)( |$))/\1\\c\2/
/^[^.].*\n/s/([\xE3-\xE9][\x80-\xBF][\x80-\xBF])(\n\.Sx )/\1\\c\2/

# the line that is complete, and what follows it for the next cycle
h
s/\n.*//
s/([\xE3-\xE9\xEF][\x80-\xBF][\x80-\xBF])/\1\\:/g
s/\\:(，|。|；|：|、|）|》|”|！|？|[]!),.:;?])/\1/g
s/\\:$//
s/(（|《|“)(\\:)+/\1/g
p
g
/\n/!d
D
