#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# msprof mcp: what agents ask by the Model Context Protocol, as a plain client and one of another maker do.
# shellcheck disable=SC2154 # run_msprof sets status, output and stderr

load ../cli/common

setup() {
    enter_scratch
    needs python3
}

client() {
    timeout 120 python3 "$BATS_TEST_DIRNAME/client.py" "$1" "$MSPROF" "${@:2}"
}

@test "each tool answers what the command prints" {
    mkdir root
    copy_capture root/JOBX
    cp -R "$repository"/testdata/small/JOB* root/JOBY
    cp -R "$repository"/testdata/frameworks/run_ascend_pt root/run_ascend_pt
    chmod -R u+w root
    client answers root JOBX JOBY run_ascend_pt
}

@test "answers are bounded in rows and bytes, and say how much they left out" {
    mkdir root
    copy_capture root/JOBX
    client bounds root JOBX
}

@test "neither paths nor links nor queries lead out of the root" {
    mkdir root outside
    copy_capture root/JOBX
    cp -R root/JOBX outside/JOBY
    run_msprof -q import outside/JOBY
    ln -s ../outside/JOBY root/link
    ln -s loop root/loop
    ln -s JOBX root/inner_link
    cp -R root/JOBX root/holds_link
    rm -rf root/holds_link/data
    ln -s ../../outside/JOBY/data root/holds_link/data
    cp -R root/JOBX root/holds_dangling
    ln -s /nowhere/x root/holds_dangling/data/dangling
    client confined "$PWD/root" JOBX "$PWD/outside/JOBY"
    [ ! -e x ]
    cp -R "$repository"/testdata/frameworks/run_ascend_pt .
    client framework run_ascend_pt/PROF_*
}

@test "input that is no message is an error of JSON-RPC, and the next message is answered" {
    mkdir root
    client bad_input root
}

@test "a call that lasts reports progress, lets others be answered, and can be cancelled" {
    mkdir root
    copy_capture root/JOBX
    run_msprof -q import root/JOBX
    client cancelled root JOBX
}

@test "a signal ends the server and the command that it runs" {
    mkdir root
    copy_capture root/JOBX
    run_msprof -q import root/JOBX
    client ended root JOBX
}

@test "versions are negotiated, and standard output has the protocol alone" {
    mkdir root
    client started root
}

@test "documents are served as they are in the sources, by a copied program, too" {
    mkdir root copy
    cp -L "$MSPROF" copy/msprof
    client resources root "$PWD/copy/msprof" "$repository"
}

@test "docs/agents.md names every tool and argument, and its transcript is what the server answers" {
    mkdir root
    copy_capture root/JOBX
    run_msprof -q import root/JOBX
    client documented root "$repository/docs/agents.md"
}

@test "a root that is no directory is an error" {
    touch file
    for place in file nowhere; do
        run_msprof mcp --root "$place" </dev/null
        [ "$status" -ne 0 ]
        expect_equal "$output" ""
        expect_contains "$stderr" "$place"
    done
}

@test "the client of the protocol's own authors lists, calls, reads, cancels and is told progress" {
    needs node
    sdk=$repository/build/npm/node_modules/@modelcontextprotocol/sdk
    [ -d "$sdk" ] || skip "@modelcontextprotocol/sdk is not installed (tools/test.sh --all fetches it)"
    mkdir root
    copy_capture root/JOBX
    run_msprof -q import root/JOBX
    timeout 120 node "$BATS_TEST_DIRNAME/client.mjs" "$sdk" "$MSPROF" root JOBX
}
