#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Completion scripts: they parse, and they offer what the option table has.
# bats file_tags=once
# shellcheck disable=SC2154 # run_msprof sets stderr

load ../cli/common

setup() {
    enter_scratch
    "$MSPROF" help --options >table
    "$MSPROF" completion bash >msprof.bash
    "$MSPROF" completion zsh >_msprof
    "$MSPROF" completion fish >msprof.fish
}

# Every command of the table, one a line.
commands() {
    cut -f 1 table | sort -u
}

# The options of one command, sorted.
options_of() {
    awk -F '\t' -v command="$1" '$1 == command { print $2 }' table | sort
}

# Prints the offers of bash after the given words; the last one is being completed.
complete_bash() {
    bash -c 'source ./msprof.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _msprof; printf "%s\n" "${COMPREPLY[@]}"' \
        bash "$@"
}

# Prints the offers of fish for a command line, without descriptions.
complete_fish() {
    # shellcheck disable=SC2016 # fish expands it
    HOME=$PWD fish --no-config -c 'source msprof.fish; complete -C $argv[1]' "$1" | cut -f 1
}

need() {
    command -v "$1" >/dev/null || skip "$1 is not installed"
}

@test "an unknown or missing shell is a usage error" {
    run_msprof completion tcsh
    expect_status 2
    expect_contains "$stderr" "'tcsh', expected one of: bash, zsh, fish"
    run_msprof completion
    expect_status 2
    expect_contains "$stderr" "no shell given"
}

@test "the bash script is sound" {
    bash -n msprof.bash
    need shellcheck
    shellcheck -s bash msprof.bash
}

@test "the zsh script parses" {
    need zsh
    zsh -n _msprof
}

@test "the fish script parses" {
    need fish
    fish --no-config -n msprof.fish
}

@test "bash offers exactly the table's options for every command" {
    commands | while read -r command; do
        # shellcheck disable=SC2086 # the words of a command
        expect_equal "$(complete_bash $command - | sort)" "$(options_of "$command")"
    done
}

@test "fish offers exactly the table's options for every command" {
    need fish
    commands | while read -r command; do
        # fish shows words with two dashes only after the second one is typed
        expect_equal "$({ complete_fish "$command -"; complete_fish "$command --"; } | grep '^-' | sort -u)" \
            "$(options_of "$command" | sort -u)"
    done
}

@test "zsh offers exactly the table's options for every command" {
    need zsh
    # compdef and _describe stand in for zsh's own, which need a terminal
    cat >driver.zsh <<'END'
compdef() { :; }
_describe() { local list=${@[-1]}; print -l -- ${${(P)list}%%:*}; }
compadd() { print -l -- "$@"; }
_files() { print -- FILES "$@"; }
source ./_msprof
words=("$@") CURRENT=$#
_msprof
END
    commands | while read -r command; do
        # shellcheck disable=SC2086 # the words of a command
        expect_equal "$(zsh -f driver.zsh $command - | sort)" "$(options_of "$command")"
    done
    expect_equal "$(zsh -f driver.zsh msprof export '' | sort)" $'db\nflame\nsummary\ntimeline'
    expect_equal "$(zsh -f driver.zsh msprof export summary --format '')" $'csv\njson'
    expect_equal "$(zsh -f driver.zsh msprof import --layout '')" "FILES"
    expect_equal "$(zsh -f driver.zsh msprof import -dir '')" "FILES -/"
    expect_equal "$(zsh -f driver.zsh msprof import '')" "FILES -/"
}

@test "values of options are offered" {
    expect_equal "$(complete_bash msprof export summary --format '')" $'csv\njson'
    expect_equal "$(complete_bash msprof export summary --format = j)" json
    expect_equal "$(complete_bash msprof kinds --format '')" $'table\njson\nmdoc'
    mkdir JOBX
    touch board.layout
    expect_equal "$(complete_bash msprof import -dir JO)" JOBX
    expect_equal "$(complete_bash msprof import --layout bo)" board.layout
    expect_equal "$(complete_bash msprof import -dir bo)" ""
    expect_equal "$(complete_bash msprof show JO)" JOBX
    expect_equal "$(complete_bash msprof export summary bo)" ""
    expect_equal "$(complete_bash msprof import --freq-mhz '')" ""
    need fish
    expect_equal "$(complete_fish 'msprof export summary --format ' | sort)" $'csv\njson'
    expect_equal "$(complete_fish 'msprof import -dir JO')" JOBX/
    expect_equal "$(complete_fish 'msprof show JO')" JOBX/
}

# The words that --list and messages of the program name: tables, columns, metrics of gates, rules, layers.
words_of() {
    case $1 in
        tables) { echo list; "$MSPROF" show --table list | sed -n 's/^\([a-z0-9_]\+\) .*/\1/p'; } ;;
        columns) "$MSPROF" show --table list | sed -n 's/^ \+//p' | tr ' ' '\n' ;;
        metrics) "$MSPROF" diff A A --gate x:+1% 2>&1 | sed 's/.*one of: //; s/GLOB//g; s/, /\n/g' ;;
        rules) "$MSPROF" advise --list | sed -n 's/^\([a-z-]\+\)$/\1/p' ;;
        layers) "$MSPROF" help --manual tracks | sed -n 's/^\.It Cm \([a-z_]*\).*/\1/p' ;;
    esac | sort -u
}

@test "names of tables, columns, metrics, rules and layers are offered by each shell" {
    cases=$'show --table:tables\nshow --columns:columns\nshow --sort:columns\ndiff --gate:metrics\nadvise --threshold:rules
export timeline --reports:layers'
    while IFS=: read -r words what; do
        # what the program itself names is what is offered; columns of tables that the list leaves out may be more
        words_of "$what" >known
        [ -s known ]
        # shellcheck disable=SC2086 # the words of a command
        complete_bash msprof $words '' | grep -v '^msprof\.\|^known$\|^offered$\|^driver' | sort -u >offered
        expect_equal "$(comm -23 known offered)" ""
        if command -v fish >/dev/null; then
            expect_equal "$(complete_fish "msprof $words " | sort -u | comm -23 known -)" ""
        fi
        # of zsh the script says the same words
        expect_equal "$(sed -n "/'msprof ${words% --*} --${words##*--}'/,/return/p" _msprof | tr ' ' '\n' | sort -u | comm -23 known -)" ""
    done <<<"$cases"
    expect_equal "$(complete_bash msprof show --table overl | sort | tr '\n' ' ')" "overlap overlap_analysis "
    expect_equal "$(complete_bash msprof export timeline --reports over)" overlap_analyse
}

@test "commands are offered, and a value that looks like one is none" {
    expect_equal "$(complete_bash msprof exp)" export
    expect_equal "$(complete_bash msprof -q export '')" $'timeline\nsummary\ndb\nflame'
    expect_equal "$(complete_bash msprof completion '')" $'bash\nzsh\nfish'
    expect_equal "$(complete_bash msprof --color export sh)" show
    need fish
    expect_equal "$(complete_fish 'msprof export ' | sort)" $'db\nflame\nsummary\ntimeline'
    expect_equal "$(complete_fish 'msprof --color export sh')" show
}
