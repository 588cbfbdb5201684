#!/bin/sh
# The package on a Debian that has nothing else: what it asks for is enough.
#
#     tools/bare_debian.sh PACKAGE.deb [ROOT]
#
# Makes a minimal Debian 12 in ROOT with debootstrap, from MIRROR or its own (or takes the one that is there), installs the package with its
# dependencies and nothing that it only recommends, and runs it. Needs root, debootstrap and a mirror: ends with 77, and the
# reason, where one of them is missing.
set -eu
package=$(readlink -f "$1")
root=${2:-$(mktemp -d)/root}
skip() {
    echo "not run: $1"
    exit 77
}
[ "$(id -u)" = 0 ] || skip "chroot needs root"
command -v debootstrap >/dev/null || skip "there is no debootstrap"
if [ ! -e "$root/etc/debian_version" ]; then
    debootstrap --variant=minbase bookworm "$root" ${MIRROR:+"$MIRROR"} >"$root.log" 2>&1 ||
        skip "debootstrap failed: $(tail -n 1 "$root.log")"
fi
chroot "$root" true 2>/dev/null || skip "chroot is not allowed here"
cp "$package" "$root/tmp/sarrus.deb"
cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || :
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp SARRUS_CERTIFY=no "$@"; }
inside apt-get update -q >/dev/null
inside apt-get install -qq -y --no-install-recommends /tmp/sarrus.deb >/dev/null 2>"$root.log" || { cat "$root.log"; exit 1; }
echo "packages that were installed beside it: $(inside grep -c ' install ' /var/log/dpkg.log) in all;" \
    "depends on $(dpkg-deb -f "$package" Depends)"
[ -e /proc/self/exe ] && [ ! -e "$root/proc/self" ] && mount -t proc proc "$root/proc" 2>/dev/null && trap 'umount "$root/proc"' EXIT
inside sarrus --version
inside sarrus run four-bar --end 1 -o /tmp/fast.csv | head -n 3
inside SARRUS_CPU=baseline sarrus run four-bar --end 1 -o /tmp/plain.csv >/dev/null
grep -v '^#' "$root/tmp/fast.csv" >"$root/tmp/fast" && grep -v '^#' "$root/tmp/plain.csv" >"$root/tmp/plain"
cmp "$root/tmp/fast" "$root/tmp/plain"
inside sarrus check bricard | head -n 2
inside sarrus run slider-crank-1 --preset BDF-DAE --end 0.3 --quiet
if inside sarrus run four-bar --end 0.1 -o /tmp/out.h5 >/dev/null 2>"$root.log"; then
    echo "results in HDF5: written"
else
    echo "results in HDF5, whose library is only recommended: $(head -n 1 "$root.log")"
fi
echo "the package installs and runs on a bare Debian $(cat "$root/etc/debian_version")"
