#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks the words of comments, of texts in C and of pages: no sentence begins with "What", "Of" or "The same", because it reads
# as a riddle. A question in a text or a page may. Prints FILE:LINE: the sentence. 'tools/lint-words.sh FOLDER...' checks only those.
set -u
cd "$(dirname "$0")/.." || exit 1

folders=(CHANGELOG.md CONTRIBUTING.md Makefile README.md SECURITY.md acl analysis base cli db docs exporters include man parsers python ssh testdata tests tools)
[ $# -gt 0 ] || set -- "${folders[@]}"

# shellcheck disable=SC2016 # these are variables of Perl
find "$@" \( -name build -o -path tests/fuzz/corpus \) -prune -o -type f \
    \( -name '*.[chS]' -o -name '*.md' -o -name '*.py' -o -name '*.sh' -o -name '*.bash' -o -name '*.bats' -o -name '*.[1-8]' \
    -o -name '*.[1-8].in' -o -name Makefile \) -print0 | sort -z | xargs -0 perl -e '
    use strict;
    my $findings = 0;

    # Texts have the length and lines of their source: marks of comments and quotes are blanked.
    sub check {
        my ($file, $line, $text, $questions) = @_;
        while ($text =~ /(?:\A|(?<=[.!?])[")]?\s+|\n\s*\n\s*|\n\s*(?:[-*]|\d+\.)\s+)\s*["(]?\K((?:What|Of|The\s+same)\b[^.!?]*[.!?]?)/g) {
            my ($sentence, $at) = ($1, $line + (substr($text, 0, $-[1]) =~ tr/\n//));
            next if $questions && $sentence =~ /\?$/;
            $sentence =~ s/\s+/ /g;
            print STDERR "$file:$at: begins with What, Of or The same: ", substr($sentence, 0, 80), "\n";
            $findings++;
        }
    }

    sub blank { my ($text, $marks) = @_; $text =~ s/^($marks)/" " x length $1/gme; return $text; }

    for my $file (@ARGV) {
        local $/;
        open(my $in, "<", $file) or die "$file: $!\n";
        my $source = <$in>;
        my $line_of = sub { 1 + (substr($source, 0, $_[0]) =~ tr/\n//) };
        if ($file =~ /\.[chS]$/) {
            while ($source =~ m{/\*(.*?)\*/|((?:^[ \t]*//[^\n]*\n)+)|//([^\n]*)|((?:"(?:[^"\\\n]|\\.)*"\s*)+)|\x27(?:[^\x27\\]|\\.)+\x27}gsm) {
                my $which = defined $1 ? 1 : defined $2 ? 2 : defined $3 ? 3 : defined $4 ? 4 : next;
                my ($text, $line) = (substr($source, $-[$which], $+[$which] - $-[$which]), $line_of->($-[$which]));
                if ($which < 4) {
                    check($file, $line, blank($text, "[ \\t]*(?://|\\*)"), 0);
                } else {
                    $text =~ s/^"|"\s*\z/ /g;
                    $text =~ s/"(\s*)"/ $1 /g;
                    $text =~ s/\\n/  /g;
                    check($file, $line, $text, 1);
                }
            }
        } elsif ($file =~ /\.(md|[1-8](\.in)?)$/) {
            $source =~ s/^(\.(?:Pp|Bl|El|Bd|Ed)\b.*)/" " x length $1/gme;
            check($file, 1, blank($source, "#+ |\\.(?:SH|SS|Sh|Ss|It) "), 1);
        } else {
            while ($source =~ /((?:^[ \t]*#[^\n]*\n)+)|[ \t]# ([^\n]*)/gm) {
                my $which = defined $1 ? 1 : 2;
                check($file, $line_of->($-[$which]), blank(substr($source, $-[$which], $+[$which] - $-[$which]), "[ \\t]*#+"), 0);
            }
        }
    }
    exit($findings > 0);
' || { echo "lint-words: begin with a verb for what a function does, with a noun for what a thing is" >&2; exit 1; }
