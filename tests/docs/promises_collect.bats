#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The promises of msprof-collect.1, quoted as in promises.bats.

load ../cli/common
load promises

@test "msprof-collect.1: What the board has already, by size and SHA-256, is not sent again." {
    backed_by tests/ssh/collect.bats \
        "--keep leaves the project, and the next upload sends only what changed"
}

@test "msprof-collect.1: Boards know only this set; with off and none, and with the sets of other chips (PipeUtilization and others), none are counted, and there will be no op_summary." {
    backed_by tests/ssh/collect.bats \
        "metrics that boards do not count are passed on, and those of other chips warned of"
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

@test "msprof-collect.1: Look at the board before anything is changed: free space, write permission, the architecture of MAIN against the board's, and whether another run is going on." {
    backed_by tests/ssh/faults.bats \
        "a program for another architecture is refused before anything is changed"
}

@test "msprof-collect.1: The files on this machine are not changed" {
    backed_by tests/ssh/collect.bats \
        "an acl.json keeps its other keys to the last byte"
}

@test "msprof-collect.1: Only the program itself may take as long as it likes, see --timeout." {
    backed_by tests/ssh/limits.bats \
        "the program may be silent for longer than any command may"
}

@test "msprof-collect.1: A file whose name is the whole of MAIN, blanks included, is run without arguments." {
    backed_by tests/ssh/collect.bats \
        "a program whose name is all that was said, blanks included, runs without arguments"
}

@test "msprof-collect.1: It gets SIGINT and may end properly." {
    backed_by tests/ssh/faults.bats \
        "a program that hangs is stopped by --timeout and its capture comes home"
}

@test "msprof-collect.1: A relative path begins at the home directory of the board's user." {
    backed_by tests/ssh/kept.bats \
        "--fetch-only: what is not there, and what cannot go together"
}

@test "msprof-collect.1: A loopback address is refused: it would be the board's own." {
    backed_by tests/ssh/collect.bats \
        "NFS mounts the project as the vendor's tool does and unmounts it"
}

@test "msprof-collect.1: A section or a key that is not known draws a warning that names the nearest one." {
    backed_by tests/ssh/faults.bats \
        "the ini file: what is wrong is told with its line, never with its content"
}

@test "msprof-collect.1: A command of the board, and the board itself when it is asked for a sign of life, may be silent for three times as long" {
    backed_by tests/ssh/faults.bats \
        "a board that freezes while the program runs is noticed in three times the timeout"
}

@test "msprof-collect.1: one that gives a secret for twelve times." {
    backed_by tests/ssh/limits.bats \
        "a command that gives a secret and never answers is given up"
}

@test "msprof-collect.1: Login is tried with the keys of the agent (SSH_AUTH_SOCK), the key file, the password, and keyboard-interactive, in this order." {
    backed_by tests/ssh/login.bats \
        "the agent comes before the key file"
}

@test "msprof-collect.1: Where that directory cannot be written, it is .msprof.lock in the home directory or remote_dir." {
    backed_by tests/ssh/faults.bats \
        "where no temporary file can be made, the lock is in the directory of the project"
}

@test "msprof-collect.1: a program that crashes, ends with a status other than 0 or has to be killed" {
    backed_by tests/ssh/faults.bats \
        "the exit status and the signal of the program are told, and its capture comes home"
}

@test "msprof-collect.1: Run nothing; fetch a capture of the board, or every JOB* directory in REMOTE_DIR" {
    backed_by tests/ssh/kept.bats \
        "of several new captures the newest comes home, and for each other one stands how to fetch it"
}

@test "msprof-collect.1: What stands on the board under one of their names with other content is told, is moved into profiling/.msprof-kept, and is put back at the end, also by the next run when this one is killed." {
    backed_by tests/ssh/safe.bats \
        "files of the board with the names of the project's are told, set aside, and put back at the end"
}

@test "msprof-collect.1: What an earlier run with --keep brought, and nobody changed since, is replaced." {
    backed_by tests/ssh/safe.bats \
        "--keep replaces what msprof brought, keeps what it did not, and a run without --keep puts that back"
}

@test "msprof-collect.1: It ends with its main process: processes that it leaves behind are told, and may go on." {
    backed_by tests/ssh/odd_boards.bats \
        "the program ends with its main process: what that leaves behind is told, and does not hold the end"
}

@test "msprof-collect.1: Without these md5sum(1), cksum(1) and cmp(1) through the connection are tried, in this order, and it is said what served." {
    backed_by tests/ssh/safe.bats \
        "without SHA-256, MD5 and cksum tell a different file of the same size"
}

@test "msprof-collect.1: The count begins anew whenever 1 MB has come." {
    backed_by tests/ssh/resume.bats \
        "a link that is cut again and again is good enough when much comes in between, for a fetch and for an upload"
}

@test "msprof-collect.1: Each time an outage of --reconnect-seconds is waited for." {
    backed_by tests/ssh/resume.bats \
        "an outage is waited for"
}

@test "msprof-collect.1: Before a copy on the board is removed, what came is put on the disk here (fsync(2)), files and directories" {
    backed_by tests/ssh/safe.bats \
        "what was fetched is on the disk here before the board's copy goes"
}

@test "msprof-collect.1: A file that is not as it was when it was fetched stays, with all of its capture" {
    backed_by tests/ssh/safe.bats \
        "a file that changes without changing its size after it was verified stays on the board: status 3"
}

@test "msprof-collect.1: and so does a capture that a process of the board has open: status 3." {
    backed_by tests/ssh/safe.bats \
        "a capture that a process has open is fetched and stays on the board: status 3"
}

@test "msprof-collect.1: Without any of these tools only what this run transferred is removed." {
    backed_by tests/ssh/safe.bats \
        "without any checksum, cmp through the connection tells; without it nothing goes that was not transferred"
}

@test "msprof-collect.1: Of the project what the program has changed stays, and is told" {
    backed_by tests/ssh/safe.bats \
        "what the program makes of a file that was brought stays, and so does what stood there before"
}

@test "msprof-collect.1: A link to something outside the capture, or of the name of a data file, a pipe or a device is named, and makes status 3" {
    backed_by tests/ssh/odd_boards.bats \
        "data behind a link, and a pipe in a capture, are named, stay on the board, and make status 3"
}

@test "msprof-collect.1: What it was lies beside it meanwhile, and the next run puts it back when this one is killed." {
    backed_by tests/ssh/nfs.bats \
        "after a run that was killed the next one puts acl.json back, and mounts once"
}

@test "msprof-collect.1: It stays a link and keeps its mode" {
    backed_by tests/ssh/nfs.bats \
        "an acl.json that is a link stays one"
}

@test "msprof-collect.1: when it was changed during the run it stays as it is then" {
    backed_by tests/ssh/nfs.bats \
        "an acl.json that was edited during the run is not reverted, also after a run that was killed"
}

@test "msprof-collect.1: What has arrived in profiling/.msprof-upload when the connection is lost for good, or this run is killed, stays there, and the next run goes on with it, also in the middle of a file." {
    backed_by tests/ssh/resume.bats \
        "an upload that was cut is gone on with by the next run, as far as what arrived is right"
}

@test "msprof-collect.1: Its beginning is compared with the board's first, by the checksums of ranges of 8 MB, and kept up to the first that differs; so is what an upload left on the board." {
    backed_by tests/ssh/resume.bats \
        "a file that came in part is gone on with as far as its ranges are the board's, and sent anew where that cannot be told"
}

@test "msprof-collect.1: Where the board has no checksums, or lacks dd(1) or tail(1), such a file is sent anew, and that is said." {
    backed_by tests/ssh/resume.bats \
        "a file that came in part is gone on with as far as its ranges are the board's, and sent anew where that cannot be told"
}

@test "msprof-collect.1: The beginning of such a file waits in <output>/.partial-JOB*." {
    backed_by tests/ssh/resume.bats \
        "a file that came in part is completed by the next run, however often the link is cut"
}

@test "msprof-collect.1: While a run is going on on the board, nothing is removed: status 5." {
    backed_by tests/ssh/safe.bats \
        "--fetch-only --remove-remote takes nothing from under a run that is going on"
}

@test "msprof-collect.1: What it captured stays on the board. Without this option the run is refused, and the process is told." {
    backed_by tests/ssh/safe.bats \
        "a program that outlives a collect which was killed keeps the lock, until --take-over stops it"
}

@test "msprof-collect.1: are found already: status 2." {
    backed_by tests/ssh/odd_boards.bats \
        "--dry-run finds a variable that is not set and a remote_dir with a blank, and says what --keep keeps"
}

@test "msprof-collect.1: So it is where that directory is full." {
    backed_by tests/ssh/odd_boards.bats \
        "where the board's directory for temporary files is full, the lock is in the home directory"
}

@test "msprof-security.7: What that shell prints before a command begins is no answer." {
    backed_by tests/ssh/odd_boards.bats \
        "what a login shell prints is no answer"
}

@test "msprof-security.7: What stands there under the name of a file of the project is moved aside, and put back at the end." {
    backed_by tests/ssh/safe.bats \
        "a run that was killed leaves what it set aside, and the next one puts it back"
}
