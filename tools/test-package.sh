#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs the packages of build/deb or build/rpm in a clean Debian root, runs the main job with what was installed, and removes them:
# nothing may stay. Needs root, debootstrap and the packages ('make deb', 'make rpm'). usage: tools/test-package.sh deb|rpm [BUILD_DIR]
set -euo pipefail
cd "$(dirname "$0")/.."

kind=${1:-}
build=${2:-build}
case $kind in
deb) packages=("$build"/deb/*.deb) ;;
rpm) mapfile -t packages < <(find "$build/rpm" -name '*.rpm') ;;
*)
    echo "usage: $0 deb|rpm [BUILD_DIR]" >&2
    exit 2
    ;;
esac
if [ ! -e "${packages[0]:-}" ]; then
    echo "$0: no packages in $build/$kind: run 'make $kind'" >&2
    exit 1
fi
for tool in debootstrap chroot; do
    command -v "$tool" >/dev/null || { echo "$0: $tool is missing" >&2 && exit 1; }
done

root=$(mktemp -d)
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf "$root"' EXIT
mirror=$(awk '$1 == "URIs:" { print $2; exit } $1 == "deb" { for (i = 2; i <= NF; i++) if ($i ~ /^http/) { print $i; exit } }' \
    /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2>/dev/null || true)
debootstrap --variant=minbase bookworm "$root" "$mirror" >"$root.log" 2>&1 || { tail "$root.log" >&2 && exit 1; }
rm -f "$root.log"
mount -t proc proc "$root/proc"
cp -r testdata/resnet50 "$root/root/"
mkdir "$root/root/packages"
cp "${packages[@]}" "$root/root/packages/"

inside() {
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive sh -euc "$1"
}

files_of_msprof() {
    (cd "$root" && find usr etc var -name '*msprof*' ! -path 'var/lib/dpkg/info/*' ! -path 'var/cache/*' ! -path 'var/log/*' | sort)
}

inside 'apt-get -qq update; apt-get -qq -y --no-install-recommends install gcc libc6-dev pkg-config python3 libsqlite3-0 libcjson1 libcsv3 libssh2-1 libssl3 zlib1g libdeflate0 libarchive13 >/dev/null 2>&1'
if [ "$kind" = deb ]; then
    inside 'apt-get -qq -y --no-install-recommends install /root/packages/*.deb >/dev/null 2>&1'
else
    inside 'apt-get -qq -y --no-install-recommends install rpm >/dev/null 2>&1; rpm -i --nodeps /root/packages/*.rpm; echo /usr/lib64 >/etc/ld.so.conf.d/rpm.conf; ldconfig'
fi
echo "installed: $(files_of_msprof | wc -l) files"

inside 'cd /root; msprof --version; msprof import resnet50/JOB*; msprof export summary resnet50/JOB*; msprof export timeline resnet50/JOB*
    msprof show resnet50/JOB* --table summary --width 80; tar -czf run.tar.gz resnet50; msprof show run.tar.gz --table summary; ls resnet50/JOB*/summary resnet50/JOB*/timeline'
# shellcheck disable=SC2016 # the shell in the root expands it
inside 'cd /root; cat >program.c <<END
#include "msprof/acl_prof.h"
int main(void)
{
    uint32_t devices[] = {0};
    aclprofInit("captures", 8);
    aclprofConfig *config = aclprofCreateConfig(devices, 1, ACL_AICORE_NONE, NULL, ACL_PROF_MSPROFTX);
    aclprofStart(config);
    MSPROF_MARK("here");
    aclprofStop(config);
    aclprofDestroyConfig(config);
    return aclprofFinalize();
}
END
    export PKG_CONFIG_PATH=/usr/lib64/pkgconfig
    cc program.c $(pkg-config --cflags --libs msprof_acl) -o program && ./program
    msprof export summary captures && ls captures/PROF_*/*/msproftx*.csv captures/PROF_*/*/msprof_tx_*.csv 2>/dev/null | grep .
    PYTHONPATH=/usr/share/msprof/python python3 -c "import acl; assert acl.prof.create_stamp"
    cat >reader.c <<END
#include <msprof/msprof.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    struct msprof_capture *capture;
    struct msprof_table *table;
    const struct msprof_block *block;
    if (argc != 2 || msprof_open(argv[1], NULL, &capture, NULL) < 0 || msprof_table_open(capture, "ops", NULL, &table, NULL) < 0)
        return 1;
    while (msprof_table_next(table, &block, NULL) == 1)
        printf("%zu operators, libmsprof %s\n", block->rows, msprof_version());
    msprof_table_close(table);
    msprof_close(capture);
    return 0;
}
END
    cc reader.c $(pkg-config --cflags --libs msprof) -o reader && ./reader resnet50/JOB* | grep operators
    PYTHONPATH=/usr/share/msprof/python python3 -c "import msprof, sys; print(msprof.open(sys.argv[1]).table(\"ops\", top=3))" resnet50/JOB*
    msprof run --output run -- /bin/true || [ $? -eq 4 ]'

if [ "$kind" = deb ]; then
    inside "apt-get -qq -y purge 'msprof*' 'libmsprof*' python3-msprof >/dev/null 2>&1"
else
    inside "rpm -e \$(rpm -qa | grep msprof)"
fi
if [ -n "$(files_of_msprof)" ]; then
    echo "$0: the packages leave these behind:" >&2
    files_of_msprof >&2
    exit 1
fi
echo "removed: nothing is left"
