#!/usr/bin/env bats
# The manual's promises: each of these tests quotes a sentence of a page, sees that it still stands there, and names the
# test that backs it, which must be there under that name. A sentence that is changed takes its test along.
# shellcheck disable=SC2154 # common.bash sets repository

load ../cli/common

setup() {
    enter_scratch
    command -v mandoc >/dev/null || skip "mandoc is not installed"
}

# The page of the test's name, as its reader sees it, in one line.
page_of_test() {
    mandoc -T utf8 -O width=999 "$(dirname "$(readlink -f "$MSPROF")")/man/${BATS_TEST_DESCRIPTION%%: *}" | col -b | tr -s '[:space:]' ' '
}

# The sentence that the test's name quotes stands in its page, and a test of this name in this file.
backed_by() { # file, test
    local page sentence=${BATS_TEST_DESCRIPTION#*: }
    page=$(page_of_test)
    if [[ $page != *"$sentence"* ]]; then
        echo "the manual does not say any more: $sentence" >&2
        return 1
    fi
    if ! grep -qxF -e "@test \"$2\" {" -e "static void $2(void **state)" "$repository/$1"; then
        echo "$1 has no test '$2'" >&2
        return 1
    fi
}

@test "msprof-collect.1: What the board has already, by size and SHA-256, is not sent again." {
    backed_by tests/ssh/collect.bats \
        "--keep leaves the project, and the next upload sends only what changed"
}

@test "msprof-collect.1: all else stays as it was to the last byte." {
    backed_by tests/ssh/collect.bats \
        "an acl.json keeps its other keys to the last byte"
}

@test "msprof-collect.1: Ask ldd(1) of the board whether shared libraries are missing." {
    backed_by tests/ssh/faults.bats \
        "missing shared libraries are named and the program is not run"
}

@test "msprof-collect.1: Its output is shown as it comes and kept in the log." {
    backed_by tests/ssh/collect.bats \
        "the program gets its arguments, its output is shown live and kept in the log"
}

@test "msprof-collect.1: Fetch the new JOB* directory, whatever the rest of its name is, as long as it is a name of a directory without control characters." {
    backed_by tests/ssh/kept.bats \
        "the directory of a capture may have any name that is safe"
}

@test "msprof-collect.1: Of several new ones the newest is fetched; the others stay on the board, and the command that fetches each is told." {
    backed_by tests/ssh/kept.bats \
        "of several new captures the newest comes home, and for each other one stands how to fetch it"
}

@test "msprof-collect.1: Each file is verified by size and, when the board has a working sha256sum(1) or openssl(1), by SHA-256, and gets its name only then." {
    backed_by tests/ssh/faults.bats \
        "a board that lies about sizes is caught: nothing wrong gets a name"
}

@test "msprof-collect.1: A connection that breaks is made anew up to five times, and the transfer goes on where it was." {
    backed_by tests/ssh/faults.bats \
        "one large file goes on in its middle after a cut"
}

@test "msprof-collect.1: Remove from the board what was brought there, and the capture." {
    backed_by tests/ssh/collect.bats \
        "a program runs on the board and its capture comes home whole"
}

@test "msprof-collect.1: What was made on the board during the run, and was not fetched and verified, is never removed, whatever failed." {
    backed_by tests/ssh/kept.bats \
        "a link that breaks while captures are listed after the run removes none of them"
}

@test "msprof-collect.1: The message says where it is, and the command that fetches it" {
    backed_by tests/ssh/kept.bats \
        "a link that breaks while captures are listed after the run removes none of them"
}

@test "msprof-collect.1: Other files that the program made stay as well, and are told." {
    backed_by tests/ssh/kept.bats \
        "what else the program made is not removed either, and is told"
}

@test "msprof-collect.1: Every exchange with the board has a limit in time and in bytes" {
    backed_by tests/ssh/limits.bats \
        "a command of the board that never answers is given up, whichever it is"
}

@test "msprof-collect.1: or that says more than can be meant, ends the work with status 5." {
    backed_by tests/ssh/limits.bats \
        "endless checksum lines, endless complaints and endless answers end with status 5"
}

@test "msprof-collect.1: The first Ctrl-C stops the program on the board (by SIGINT, after five seconds SIGTERM, then SIGKILL), fetches what it captured, tidies up and ends with status 130." {
    backed_by tests/ssh/faults.bats \
        "Ctrl-C stops the program on the board, keeps what was captured and ends with 130"
}

@test "msprof-collect.1: During the upload it removes what was uploaded." {
    backed_by tests/ssh/faults.bats \
        "Ctrl-C while uploading leaves nothing on the board"
}

@test "msprof-collect.1: files that arrived whole stay here, and are counted as not verified when the board had not told their checksums yet; the capture stays on the board." {
    backed_by tests/ssh/faults.bats \
        "files whose checksum had not come before the end are kept and counted as not verified"
}

@test "msprof-collect.1: The second one ends msprof-collect at once." {
    backed_by tests/ssh/interrupts.bats \
        "a second Ctrl-C ends at once"
}

@test "msprof-collect.1: No shell reads the arguments, neither here nor on the board: nothing in them is expanded or run." {
    backed_by tests/ssh/collect.bats \
        "arguments keep their blanks in quotes and behind --, and no shell reads them"
}

@test "msprof-collect.1: the boards run side by side, and each capture goes into <output>/<NAME>." {
    backed_by tests/ssh/collect.bats \
        "two boards run side by side, one capture each"
}

@test "msprof-collect.1: no capture is made, and that is no failure" {
    backed_by tests/ssh/collect.bats \
        "--switch off says that there will be no capture, and none is no failure"
}

@test "msprof-collect.1: Put the capture into DIR" {
    backed_by tests/ssh/collect.bats \
        "--output says where the capture goes"
}

@test "msprof-collect.1: Then do what msprof-import(1) and msprof-export(1) do with the capture." {
    backed_by tests/ssh/collect.bats \
        "--all makes the same reports as import and export"
}

@test "msprof-collect.1: Leave out files and directories of the project whose name, or path below the project, matches a shell pattern." {
    backed_by tests/ssh/collect.bats \
        "--exclude leaves files out; links and odd names go along"
}

@test "msprof-collect.1: acl.json is then patched on this machine and put back at the end." {
    backed_by tests/ssh/collect.bats \
        "NFS mounts the project as the vendor's tool does and unmounts it"
}

@test "msprof-collect.1: Stop the program after so long, for programs that never end by themselves (0: never)." {
    backed_by tests/ssh/faults.bats \
        "a program that hangs is stopped by --timeout and its capture comes home"
}

@test "msprof-collect.1: Leave the project and the capture on the board." {
    backed_by tests/ssh/collect.bats \
        "--keep leaves the project, and the next upload sends only what changed"
}

@test "msprof-collect.1: What an earlier fetch left here is verified and not fetched again; a file that came in part is completed." {
    backed_by tests/ssh/kept.bats \
        "--fetch-only goes on where a fetch was: what is here is checked and not sent again"
}

@test "msprof-collect.1: A file that is here and is not the board's is never overwritten." {
    backed_by tests/ssh/kept.bats \
        "--fetch-only never overwrites what is not the board's"
}

@test "msprof-collect.1: remove from the board what is at home now and was verified, when all of the capture is, and nothing else." {
    backed_by tests/ssh/kept.bats \
        "--remove-remote removes only what was fetched and verified"
}

@test "msprof-collect.1: Print the plan step by step, do nothing." {
    backed_by tests/ssh/collect.bats \
        "--dry-run prints the plan and needs no board"
}

@test "msprof-collect.1: Take the host key of a board that is not known yet, and keep it." {
    backed_by tests/ssh/faults.bats \
        "an unknown host key is refused with its fingerprint and the way to accept it"
}

@test "msprof-collect.1: A key that changed is refused always." {
    backed_by tests/ssh/faults.bats \
        "a changed host key is refused, also with --accept-new-host-key"
}

@test "msprof-collect.1: One whose owner is gone is taken over." {
    backed_by tests/ssh/faults.bats \
        "a lock whose owner is gone is taken over"
}

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

@test "msprof-security.7: A board without a tool for SHA-256 is checked by size only, and that is said." {
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

@test "msprof-security.7: A umask looser than 0027 brings a warning." {
    backed_by tests/cli/results.bats \
        "the umask is warned of at import only"
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

@test "msprof-security.7: What was brought there is removed by its names, and of a capture what has come home and was verified; everything else that the program made stays there." {
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

@test "what a page promises is quoted here: no sentence with 'never' or 'always' is without its test" {
    local page sentence quoted
    quoted=$(sed -n 's/^@test "msprof-[a-z]*\.[0-9]: \(.*\)" {$/\1/p' "$BATS_TEST_FILENAME")
    for page in msprof-collect.1 msprof-security.7 msprof-import.1 msprof-run.1; do
        mandoc -T utf8 -O width=999 "$(dirname "$(readlink -f "$MSPROF")")/man/$page" | col -b | tr -s '[:space:]' ' ' |
            grep -oE '[A-Z][^.]*\b(never|always)\b[^.]*\.' |
            grep -v 'a program that never ends\|was loaded but never executed' | while IFS= read -r sentence; do
            while IFS= read -r promise; do
                [[ "$sentence" != *"$promise"* && "$promise" != *"$sentence"* ]] || continue 2
            done <<<"$quoted"
            echo "$page: $sentence"
        done
    done >unquoted
    expect_equal "$(<unquoted)" ""
}
