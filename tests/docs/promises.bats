#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The manual's promises: each of these tests quotes a sentence of a page, sees that it still stands there, and names the
# test that backs it, which must be there under that name. A sentence that is changed takes its test along.
# shellcheck disable=SC2154 # promises.bash sets pages

load ../cli/common
load promises

@test "msprof-security.7: or control characters, or are too long are refused and told." {
    backed_by tests/ssh/faults.bats \
        "names that lead out of the capture are refused and nothing is written outside"
}

@test "msprof-security.7: One that is not known is refused, with its fingerprint, unless --accept-new-host-key is given." {
    backed_by tests/ssh/faults.bats \
        "an unknown host key is refused with its fingerprint and the way to accept it"
}

@test "msprof-security.7: One that changed, was revoked, or is of another type than the known ones is refused always." {
    backed_by tests/ssh/faults.bats \
        "a key of a type that is not known of this host is no new host"
}

@test "msprof-security.7: The capture goes into a directory that is new" {
    backed_by tests/ssh/faults.bats \
        "a capture never goes into a directory that is there already"
}

@test "msprof-security.7: Sizes and SHA-256 of every file, in both directions." {
    backed_by tests/ssh/faults.bats \
        "bytes that change on the way are caught by the checksum"
}

@test "msprof-security.7: A board without a tool for SHA-256 is checked by MD5, by the CRC of cksum(1), by cmp(1) through the connection or, with none of these, by size only, and that is said." {
    backed_by tests/ssh/collect.bats \
        "a board without stat, tar, xargs and checksums still works"
}

@test "msprof-security.7: control characters are masked before they reach the terminal, the log or a message." {
    backed_by tests/ssh/collect.bats \
        "control characters of the board do not reach the terminal"
}

@test "msprof-security.7: one that is silent or does not end is given up." {
    backed_by tests/ssh/limits.bats \
        "a fetch whose bytes or checksums never come is given up, and the capture stays"
}

@test "msprof-security.7: Captures and reports: files of mode 0640 in directories of mode 0750." {
    backed_by tests/cli/captures.bats \
        "what is made is not readable for others whatever the umask"
}

@test "msprof-security.7: They are in no message and no log, and in no command line of a process that msprof starts." {
    backed_by tests/ssh/login.bats \
        "a password logs in; a wrong one is refused; neither is told anywhere"
}

@test "msprof-security.7: After the login one copy stays in memory, because a broken connection may have to be made anew" {
    backed_by tests/ssh/login.bats \
        "after the login a secret is in memory once, and in no command line"
}

@test "msprof-security.7: Passwords and passphrases are taken from the ini file, the environment, a file or a command, never from the command line." {
    backed_by tests/ssh/login.bats \
        "secrets come from the environment, a file or a command"
}

@test "msprof-security.7: Names in them, and the arguments of the program, are quoted: no shell reads them." {
    backed_by tests/ssh/collect.bats \
        "arguments keep their blanks in quotes and behind --, and no shell reads them"
}

@test "msprof-security.7: What was brought there is removed as long as it is as it was brought, and of a capture what has come home, is on the disk here, was verified twice and has not changed since; everything else that the program made stays there." {
    backed_by tests/ssh/kept.bats \
        "what else the program made is not removed either, and is told"
}

@test "msprof-import.1: The database is always made anew." {
    backed_by tests/cli/captures.bats \
        "import always makes the database anew"
}

@test "msprof-import.1: what is sound is decoded, what is not is counted, told and kept in the table diagnostics." {
    backed_by tests/cann/sums.bats \
        "a call whose time was overwritten is told with a warning and counted"
}

@test "msprof-import.1: At the end one line tells the files, the records decoded and rejected, the latter by the names of the problems below, and the seconds it took." {
    backed_by tests/cann/sums.bats \
        "records that belong to no call are told with a warning and counted"
}

@test "msprof-import.1: those are processed in the order of their names." {
    backed_by tests/cli/captures.bats \
        "a directory of captures stands for all of them in the order of their names"
}

@test "msprof-import.1: A capture that is named twice is processed once." {
    backed_by tests/cli/captures.bats \
        "a capture that is named twice is processed once"
}

@test "msprof-import.1: Put sqlite/, timeline/, summary/ and log/ into DIR instead of the capture." {
    backed_by tests/cli/captures.bats \
        "--output takes everything that is made, and the capture stays as it was"
}

@test "msprof-import.1: two captures of the same name are refused." {
    backed_by tests/cli/captures.bats \
        "captures of one name cannot share an --output"
}

@test "msprof-import.1: Start and end of each import, and the problems met." {
    backed_by tests/cli/captures.bats \
        "the log has the vendor's lines, in English and with times, and is appended to"
}

@test "msprof-run.1: each call of a function of ACL (aclrtMemcpy(), aclmdlExecute(), svp_acl_mdl_execute() and the rest), when it began and returned, in which thread, and inside of which other call." {
    backed_by tests/acl/preload.bats \
        "calls inside of calls are inside of them, as deep as they go"
}

@test "msprof-run.1: Every process of the program that calls ACL leaves a capture of its own" {
    backed_by tests/acl/run.bats \
        "captures go into the working directory unless told otherwise, and every process has one"
}

@test "msprof-run.1: or JOBletters when its first call is one of the svp_acl functions." {
    backed_by tests/acl/preload.bats \
        "a program that uses SVP's functions leaves a JOB capture"
}

@test "msprof-run.1: Which reports to write, by default all." {
    backed_by tests/acl/run.bats \
        "--reports chooses what is written"
}

@test "msprof-run.1: The words from PROGRAM on are the program's, whatever they look like." {
    backed_by tests/acl/run.bats \
        "the words behind the program are the program's"
}

@test "msprof-run.1: are passed on to the program; after its end the reports are made all the same." {
    backed_by tests/acl/run.bats \
        "a signal that is sent to it reaches the program"
}

@test "msprof-run.1: That of the program when it is not 0" {
    backed_by tests/acl/run.bats \
        "the program's exit status and signal are passed on, and its captures are reported all the same"
}

@test "msprof-run.1: The program was found and cannot be run." {
    backed_by tests/acl/run.bats \
        "what cannot be run has the statuses of env(1)"
}

@test "msprof-run.1: The program ended with status 0, and nothing was recorded." {
    backed_by tests/acl/run.bats \
        "a program that calls no ACL function is told of"
}

@test "msprof-run.1: When the disk is full or the output cannot be written, the program goes on unharmed." {
    backed_by tests/acl/preload.bats \
        "a disk that is full from the start does not harm the program"
}

@test "msprof-run.1: A directory that is removed while it is recorded into is such a loss too." {
    backed_by tests/acl/run.bats \
        "an output directory that is removed while recording is a loss: told in numbers, status 3"
}

@test "msprof-run.1: A call that did not return, because of an exception, a longjmp, the end of its thread or of the process, is not recorded; the capture counts such calls by name." {
    backed_by tests/acl/preload.bats \
        "calls that other threads are in when the process ends are counted by name, whatever ends it"
}

@test "msprof-security.7: nothing is ever written outside." {
    backed_by tests/ssh/faults.bats \
        "names that lead out of the capture are refused and nothing is written outside"
}

@test "msprof-security.7: as wholes by their sums and every offset by itself" {
    backed_by tests/unit/acl/test_subscribe_records.c \
        "a_damaged_record_tells_nothing_and_the_others_do"
}

@test "msprof-security.7: The content of captures is not trusted either, wherever they come from." {
    backed_by tests/unit/db/test_import.c \
        "a_database_whose_schema_is_not_ours_is_not_current"
}

@test "msprof-security.7: Every length that comes from a file or the network, before memory is taken for it." {
    backed_by tests/unit/parsers/test_hostile_capture.c \
        "a_dictionary_without_line_ends_is_named_and_the_import_goes_on"
}

@test "msprof-security.7: Core dumps are switched off" {
    backed_by tests/ssh/login.bats \
        "after the login a secret is in memory once, and in no command line"
}

@test "msprof-security.7: The host key, before anything secret is sent." {
    backed_by tests/ssh/faults.bats \
        "an unknown host key is refused with its fingerprint and the way to accept it"
}

@test "msprof-import.1: It is built under a temporary name and replaces an older one only when it is complete." {
    backed_by tests/unit/db/test_import.c \
        "a_strict_import_with_a_problem_leaves_the_old_database_alone"
}

@test "msprof-import.1: Damaged data do not stop the import" {
    backed_by tests/unit/db/test_record_sums.c \
        "every_record_of_every_kind_is_a_row_or_rejected_whichever_byte_is_damaged"
}

@test "msprof-security.7: The log: addresses, user names, paths and the output of the program; never a secret." {
    backed_by tests/ssh/login.bats \
        "a password logs in; a wrong one is refused; neither is told anywhere"
}

@test "msprof-run.1: A weak reference to a function of ACL is never NULL, as the entry is always there; dlsym(3) and dlopen(3) tell the truth." {
    backed_by tests/acl/preload.bats \
        "functions that a program looks up itself are recorded, and what is not there is not found"
}

@test "msprof-import.1: A file that was written, cut or replaced while it was imported: what was read is not what is there." {
    backed_by tests/unit/parsers/test_hostile_capture.c \
        "a_file_that_changes_while_it_is_imported_is_named"
}

@test "msprof-run.1: The reports are those of msprof-export(1), written into the captures." {
    backed_by tests/acl/run.bats \
        "a run leaves a capture, its database, its timeline and its summary"
}

@test "msprof-run.1: With none the captures are left raw, for msprof-import(1)." {
    backed_by tests/acl/run.bats \
        "--reports chooses what is written"
}

@test "msprof-run.1: It hands everything on as it is" {
    backed_by tests/acl/preload.bats \
        "every way of handing arguments and results over works as without it"
}

@test "msprof-run.1: Calls that ACL's libraries make of each other's functions are recorded too, inside of the call of the program that they belong to." {
    backed_by tests/acl/run.bats \
        "the timeline shows calls by thread, inner ones inside of outer ones"
}

@test "msprof-run.1: Functions that the program looks up by dlsym(3) are recorded as well" {
    backed_by tests/acl/preload.bats \
        "functions that a program looks up itself are recorded, and what is not there is not found"
}

@test "msprof-run.1: also in libraries that it loads while it runs." {
    backed_by tests/acl/preload.bats \
        "a library that is loaded for itself only finds its functions"
}

@test "msprof-run.1: What is in memory is written when the program ends" {
    backed_by tests/acl/preload.bats \
        "nothing is lost when the program ends by itself, in whatever way"
}

@test "msprof-run.1: The program then ends by that signal as it would have" {
    backed_by tests/acl/preload.bats \
        "nothing is lost when the program crashes or is ended by a signal, and it ends by that signal"
}

@test "msprof-run.1: with a core file if it would have left one." {
    backed_by tests/acl/preload.bats \
        "a crash leaves the core file that it would have left"
}

@test "msprof-run.1: After SIGKILL all is there but, at most, the last fifth of a second, and import" {
    backed_by tests/acl/preload.bats \
        "after SIGKILL everything older than one second is there"
}

@test "msprof-run.1: import says that the capture has no end, with status 3." {
    backed_by tests/acl/preload.bats \
        "a program that is killed leaves a capture that says that it has no end"
}

@test "msprof-run.1: A program that changes its root or its user, forbids itself to open files or uses up its descriptors goes on being recorded" {
    backed_by tests/acl/preload.bats \
        "a program that changes its root or user, forbids itself to open files or uses up its descriptors loses no call"
}

@test "msprof-run.1: After fork(2) parent and child record into captures of their own." {
    backed_by tests/acl/preload.bats \
        "parent and child record into captures of their own"
}

@test "msprof-run.1: records into its parent's capture; its calls are counted as lost when they come before the first one of its parent." {
    backed_by tests/acl/preload.bats \
        "calls of a child that shares its parent's memory are recorded, and counted as lost before the parent's first"
}

@test "msprof-run.1: Calls that a signal handler leaves by siglongjmp(3) while they are being recorded are counted as lost, too." {
    backed_by tests/acl/preload.bats \
        "a handler that jumps out of calls again and again costs those calls, not all later ones"
}

@test "msprof-run.1: How many calls were lost is told at its end in one line on standard error, and in the capture (losses.json), so that import and every report say it, with status 3." {
    backed_by tests/acl/preload.bats \
        "a full disk does not harm the program, and what was lost is told in numbers"
}

@test "msprof-run.1: the calls go into its capture, and at other times they are not recorded." {
    backed_by tests/acl/run.bats \
        "a program that profiles itself gets its calls into its own capture, and there is no other"
}

@test "msprof-run.1: the capture is the one that it asks for: in its output, with the calls unless acl_api or ascendcl is off, from aclInit() to aclFinalize()." {
    backed_by tests/acl/acl_json.bats \
        "a profiler that is switched on begins a capture with aclInit in its output, and aclFinalize ends it"
}

@test "msprof-run.1: In between, aclprofInit(3) fails." {
    backed_by tests/acl/acl_json.bats \
        "the API is refused between aclInit and aclFinalize"
}

@test "msprof-run.1: A file that is refused is named in one line on standard error, and what it says does not count" {
    backed_by tests/acl/acl_json.bats \
        "a file with an unknown key is refused in one line and recording goes on as without it"
}

@test "msprof-run.1: Calling a function that no library has ends the process with status 127 and the message of the dynamic linker" {
    backed_by tests/acl/preload.bats \
        "a function that no library has ends the program as the dynamic linker would"
}

@test "msprof-run.1: msprof-run failed before the program was started." {
    backed_by tests/acl/run.bats \
        "what cannot be run has the statuses of env(1)"
}

@test "msprof-run.1: Signal n ended the program." {
    backed_by tests/acl/run.bats \
        "the program's exit status and signal are passed on, and its captures are reported all the same"
}

@test "msprof-security.7: Links, devices and pipes are not fetched." {
    backed_by tests/ssh/faults.bats \
        "names that lead out of the capture are refused and nothing is written outside"
}

@test "msprof-security.7: in known_hosts (mode 0600 when it is made)." {
    backed_by tests/unit/ssh/test_known_hosts.c \
        "a_new_key_is_appended_to_what_is_there"
}

@test "msprof-security.7: An ini file that other users may read brings a warning." {
    backed_by tests/ssh/faults.bats \
        "the ini file: what is wrong is told with its line, never with its content"
}

@test "msprof-security.7: nothing that it sends is trusted." {
    backed_by tests/ssh/faults.bats \
        "a board that lies about sizes is caught: nothing wrong gets a name"
}

@test "msprof-security.7: are ignored in programs that run with other rights than those of their user." {
    backed_by tests/acl/subscribe.bats \
        "a program that runs with other rights than its user's does not listen to MSPROF_REPLAY"
}

@test "msprof-security.7: but nothing is ever written through it." {
    backed_by tests/ssh/faults.bats \
        "a lock that somebody made a link leads nowhere"
}

@test "msprof-run.1: Programs that are linked statically, and those that change their user or capabilities when they start, are not recorded" {
    backed_by tests/acl/run.bats \
        "a program that is linked statically is not recorded, and runs"
}

@test "msprof-security.7: What an upload that was cut left there is used again as far as its checksums are those of the project, and removed otherwise; what it leads to by links is not followed." {
    backed_by tests/ssh/resume.bats \
        "an upload that was cut is gone on with by the next run, as far as what arrived is right"
}

@test "what a page promises is quoted here: no sentence that says never, nothing, refused, told or the like is without its test" {
    local page sentence quoted
    local words="never|always|nothing|refused|told|counted|lost|warning|ignored|overwritten|removed|kept"
    quoted=$(sed -n 's/^@test "msprof-[a-z]*\.[0-9]: \(.*\)" {$/\1/p' "$BATS_TEST_DIRNAME"/promises*.bats)
    for page in $pages; do
        # DIAGNOSTICS is a table of what captures may have, made of the code's
        sed 's/ DIAGNOSTICS .* SEE ALSO / /' "$BATS_FILE_TMPDIR/$page" | grep -oE "[A-Z][^.]*\b($words)\b[^.]*\." |
            grep -v 'a program that never ends\|was loaded but never executed' | while IFS= read -r sentence; do
            while IFS= read -r promise; do
                [[ "$sentence" != *"$promise"* && "$promise" != *"$sentence"* ]] || continue 2
            done <<<"$quoted"
            echo "$page: $sentence"
        done
    done >unquoted
    expect_equal "$(<unquoted)" ""
}
