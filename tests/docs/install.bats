#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# make install and make uninstall.
# bats file_tags=once
# shellcheck disable=SC2154 # common.bash sets repository

load ../cli/common
load tree

# One copy for all that install from it: what they build they build with the flags that it was built with.
setup_file() {
    BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR enter_tree_copy
}

setup() {
    cd "$BATS_FILE_TMPDIR/tree" || return
    forget_outer_make
    root=$BATS_TEST_TMPDIR/root
}

@test "make install puts the program, its manual and its completion scripts below DESTDIR and prefix" {
    make -s install DESTDIR="$root" prefix=/usr
    # the links to pages of section 3 have a test of their own
    expect_equal "$(files_below "$root" | while read -r file; do
        [[ -L $root$file && $file == */man3/* ]] || echo "$file"
    done)" "$(
        cat <<'END'
/usr/bin/msprof
/usr/include/msprof/acl_prof.h
/usr/include/msprof/compat/acl/acl_prof.h
/usr/include/msprof/compat/svp_acl_prof.h
/usr/include/msprof/msprof.h
/usr/include/msprof/svp_acl_prof.h
/usr/include/mstx/ms_tools_ext.h
/usr/include/mstx/ms_tools_ext_impl.h
/usr/include/mstx/ms_tools_ext_mem.h
/usr/lib/cmake/Msprof/MsprofConfig.cmake
/usr/lib/cmake/Msprof/MsprofConfigVersion.cmake
/usr/lib/libmsprof.so
/usr/lib/libmsprof.so.1
/usr/lib/libmsprof_acl.a
/usr/lib/libmsprof_acl.so
/usr/lib/libmsprof_acl.so.1
/usr/lib/libmsprofiler.so
/usr/lib/msprof/libms_tools_ext.so
/usr/lib/msprof/libmsprof_preload.so
/usr/lib/pkgconfig/msprof.pc
/usr/lib/pkgconfig/msprof_acl.pc
/usr/share/bash-completion/completions/msprof
/usr/share/fish/vendor_completions.d/msprof.fish
/usr/share/man/man1/msprof-advise.1
/usr/share/man/man1/msprof-analyse.1
/usr/share/man/man1/msprof-cluster.1
/usr/share/man/man1/msprof-collect.1
/usr/share/man/man1/msprof-completion.1
/usr/share/man/man1/msprof-diff.1
/usr/share/man/man1/msprof-doctor.1
/usr/share/man/man1/msprof-export.1
/usr/share/man/man1/msprof-import.1
/usr/share/man/man1/msprof-kinds.1
/usr/share/man/man1/msprof-layout.1
/usr/share/man/man1/msprof-mcp.1
/usr/share/man/man1/msprof-options.1
/usr/share/man/man1/msprof-query.1
/usr/share/man/man1/msprof-replay.1
/usr/share/man/man1/msprof-report.1
/usr/share/man/man1/msprof-run.1
/usr/share/man/man1/msprof-show.1
/usr/share/man/man1/msprof-sql.1
/usr/share/man/man1/msprof-tui.1
/usr/share/man/man1/msprof-view.1
/usr/share/man/man1/msprof.1
/usr/share/man/man3/aclprofCreateStamp.3
/usr/share/man/man3/aclprofInit.3
/usr/share/man/man3/aclprofModelSubscribe.3
/usr/share/man/man3/msprof_acl_message.3
/usr/share/man/man3/msprof_open.3
/usr/share/man/man3/mstx.3
/usr/share/man/man5/msprof-records.5
/usr/share/man/man5/msprof-report.5
/usr/share/man/man5/msprof-schema.5
/usr/share/man/man7/msprof-acl.7
/usr/share/man/man7/msprof-cann.7
/usr/share/man/man7/msprof-op.7
/usr/share/man/man7/msprof-security.7
/usr/share/man/zh_CN/man1/msprof-advise.1
/usr/share/man/zh_CN/man1/msprof-collect.1
/usr/share/man/zh_CN/man1/msprof-diff.1
/usr/share/man/zh_CN/man1/msprof-export.1
/usr/share/man/zh_CN/man1/msprof-import.1
/usr/share/man/zh_CN/man1/msprof-report.1
/usr/share/man/zh_CN/man1/msprof-show.1
/usr/share/man/zh_CN/man1/msprof.1
/usr/share/msprof/python/acl/__init__.py
/usr/share/msprof/python/msprof/__init__.py
/usr/share/msprof/python/msprof/mstx.py
/usr/share/msprof/python/msprof/py.typed
/usr/share/msprof/python/msprof/reading.py
/usr/share/msprof/python/msprof_acl.py
/usr/share/msprof/python/mstx.py
/usr/share/msprof/schemas/advice.1.json
/usr/share/msprof/schemas/baseline.3.json
/usr/share/msprof/schemas/cluster.1.json
/usr/share/msprof/schemas/diff.2.json
/usr/share/msprof/schemas/doctor.1.json
/usr/share/msprof/schemas/kinds.1.json
/usr/share/msprof/schemas/measures.1.json
/usr/share/msprof/schemas/op_metrics.1.json
/usr/share/msprof/schemas/options.1.json
/usr/share/msprof/schemas/rules.1.json
/usr/share/msprof/schemas/samples.1.json
/usr/share/msprof/schemas/table.1.json
/usr/share/zsh/site-functions/_msprof
END
    )"
    [ -d "$root/usr/share/msprof/layouts" ]
    [ "$(stat -c %a "$root/usr/bin/msprof")" = 755 ]
    [ "$(stat -c %a "$root/usr/share/man/man1/msprof.1")" = 644 ]
}

@test "the installed program runs and reads the layouts of its own prefix" {
    make -s install prefix="$root/opt dir"
    MSPROF="$root/opt dir/bin/msprof"
    copy_capture "$BATS_TEST_TMPDIR/JOBX"
    run_msprof import -dir "$BATS_TEST_TMPDIR/JOBX"
    expect_status 0
    [ -f "$BATS_TEST_TMPDIR/JOBX/sqlite/runtime.db" ]

    echo 'nonsense' >"$root/opt dir/share/msprof/layouts/mine.layout"
    run_msprof kinds
    expect_status 1
    expect_contains "$stderr" "$root/opt dir/share/msprof/layouts/mine.layout"
}

@test "the installed manual is sound, complete and names the prefix" {
    needs mandoc
    make -s install DESTDIR="$root" prefix=/opt/tools
    mandoc -T lint -W warning "$root"/opt/tools/share/man/man?/* "$root"/opt/tools/share/man/zh_CN/man1/*
    text=$(mandoc -T utf8 "$root/opt/tools/share/man/man5/msprof-records.5" | sed 's/.\x08//g')
    expect_contains "$text" "/opt/tools/share/msprof/layouts"
    expect_contains "$text" "svp_pmu"
    expect_not_contains "$text" "/usr/local"
}

@test "every function of the libraries has a page in section 3, its own or a link to one" {
    make -s install DESTDIR="$root" prefix=/usr
    functions=$(sed -n 's/^    \([a-z][A-Za-z0-9_]*\);$/\1/p' acl/libmsprof_acl.map api/libmsprof.map)
    [ "$(wc -w <<<"$functions")" -gt 60 ]
    cd "$root/usr/share/man/man3"
    for function in $functions; do
        page=$function.3
        [ -s "$page" ] || { echo "no page for $function" >&2 && return 1; }
        grep -qE "^\.(Nm|Fn) \"?$function( |\$)" "$page"
    done
}

@test "the installed completion scripts are those that the program prints" {
    make -s install DESTDIR="$root" prefix=/usr
    expect_equal "$(cat "$root/usr/share/bash-completion/completions/msprof")" "$("$MSPROF" completion bash)"
    expect_equal "$(cat "$root/usr/share/zsh/site-functions/_msprof")" "$("$MSPROF" completion zsh)"
    expect_equal "$(cat "$root/usr/share/fish/vendor_completions.d/msprof.fish")" "$("$MSPROF" completion fish)"
}

@test "make uninstall leaves nothing of what make install made" {
    make -s install DESTDIR="$root" prefix=/usr
    make -s uninstall DESTDIR="$root" prefix=/usr
    expect_equal "$(files_below "$root")" ""
    [ ! -e "$root/usr/share/msprof" ]
}

@test "make uninstall keeps the files of others" {
    make -s install DESTDIR="$root" prefix=/usr
    touch "$root/usr/share/msprof/layouts/board.layout" "$root/usr/bin/other" "$root/usr/share/man/man1/other.1"
    make -s uninstall DESTDIR="$root" prefix=/usr
    expect_equal "$(files_below "$root")" "/usr/bin/other
/usr/share/man/man1/other.1
/usr/share/msprof/layouts/board.layout"
}

@test "other flags and another prefix are built anew, equal ones are not" {
    only_in_all "it builds the program again"
    enter_tree_copy
    make -s all
    expect_equal "$(make all)" ""
    expect_equal "$(make all prefix=/elsewhere | grep '^  CC ' | sort)" \
        "  CC      build/release/api/capture.o
  CC      build/release/cli/capture/captures.o
  CC      build/release/features/record/commands/cmd_run.o"
    expect_equal "$(make all prefix=/elsewhere)" ""
    objects=(build/release/base/err.o build/release/cli/main.o)
    expect_not_contains "$(make "${objects[@]}" prefix=/elsewhere)" "  CC "
    expect_equal "$(make "${objects[@]}" prefix=/elsewhere CFLAGS=-g1 | grep '^  CC ' | sort)" \
        "$(printf '  CC      %s\n' "${objects[@]}")"
}

# Where the sources are gets into a program by debug information and __FILE__. Made anew is an object of each folder, and the
# program of all.
@test "the same sources make the same program in another directory" {
    only_in_all "it builds the program again"
    enter_tree_copy
    for file in build/release/{msprof,libmsprof.so.1,libmsprof_acl.so.1,libmsprof_acl.a,libmsprof_preload.so}; do
        expect_equal "$file: $(grep -cF -e "$repository/" -e "$PWD/" "$file")" "$file: 0"
    done
    mv "$PWD" "$BATS_TEST_TMPDIR/elsewhere"
    cd "$BATS_TEST_TMPDIR/elsewhere"
    find base parsers db exporters features ssh cli -name '*.c' ! -path '*/mpi/*' -printf '%h\n' | sort -u >folders
    while read -r folder; do
        sources=("$folder"/*.c)
        rm "build/release/${sources[0]%.c}.o"
    done <folders
    rm build/release/msprof
    made=$(make -j2 program)
    expect_equal "$(grep -c '^  CC ' <<<"$made")" "$(wc -l <folders)"
    cmp build/release/msprof "$repository/build/release/msprof"
}

@test "an unknown variant is refused" {
    run make VARIANT=fast
    [ "$status" -eq 2 ]
    expect_contains "$output" "unknown VARIANT 'fast'"
}

@test "make help lists every target that a user calls" {
    help=$(make help)
    for target in all install uninstall check check-fast lint asan tsan coverage fuzz clang bench clean distclean help; do
        grep -q "^  $target  *[a-z]" <<<"$help"
    done
}
