#!/usr/bin/env bash
# rename without replacing (renameat2 with RENAME_NOREPLACE) doesn't work on file systems in user space that only pass
# everything on to a disk which supports it.
#
# Most people would guess that the kernel answers RENAME_NOREPLACE itself (it knows both names), or that a file system
# that mirrors a folder of ext4 supports what ext4 does. Instead, the call fails with EINVAL, although no file has
# the new name and a plain rename works. A program that then falls back to a plain rename replaces the file that it
# wanted to protect. A hard link, which never replaces a file, works there; directly after it, however, bindfs reports
# one link for the old name and two for the new one.
#
# Seen with: bindfs 1.14.7 and libfuse3 3.14.0 (Debian 12), over ext4 and over tmpfs. Needs root and /dev/fuse.
set -euo pipefail

folder=$(mktemp -d)
cleanup() {
  if mountpoint -q "$folder/mirror"; then umount "$folder/mirror"; fi
  rm -rf "$folder"
}
trap cleanup EXIT
cd "$folder"
apt-get download bindfs=1.14.7-1 libfuse3-3=3.14.0-4 >/dev/null 2>&1 || { echo "The packages aren't available." && exit 1; }
for package in ./*.deb; do dpkg -x "$package" packages; done
mkdir disk mirror
export LD_LIBRARY_PATH=$folder/packages/lib/x86_64-linux-gnu:$folder/packages/usr/lib/x86_64-linux-gnu
packages/usr/bin/bindfs disk mirror
unset LD_LIBRARY_PATH

cat >probe.py <<'EOF'
import ctypes, errno, os, sys

libc = ctypes.CDLL(None, use_errno=True)
AT_FDCWD, RENAME_NOREPLACE = -100, 1

def rename_without_replacing(folder):
    for name in ("new", "old"):
        with open(f"{folder}/{name}", "w") as file:
            file.write(name)
    os.remove(f"{folder}/old")
    source, target = (f"{folder}/{name}".encode() for name in ("new", "old"))
    failed = libc.renameat2(AT_FDCWD, source, AT_FDCWD, target, RENAME_NOREPLACE) != 0
    result = errno.errorcode[ctypes.get_errno()] if failed else "renamed"
    for name in ("new", "old"):
        if os.path.exists(f"{folder}/{name}"):
            os.remove(f"{folder}/{name}")
    return result

def plain_rename(folder):
    with open(f"{folder}/new", "w"):
        pass
    os.rename(f"{folder}/new", f"{folder}/old")
    os.remove(f"{folder}/old")
    return "renamed"

def link(folder):
    with open(f"{folder}/new", "w"):
        pass
    os.stat(f"{folder}/new")
    os.link(f"{folder}/new", f"{folder}/old")
    return f"linked, links {os.stat(f'{folder}/new').st_nlink} and {os.stat(f'{folder}/old').st_nlink}"

for folder in ("disk", "mirror"):
    print(f"{folder}: {rename_without_replacing(folder)}; plain rename: {plain_rename(folder)}; link: {link(folder)}")
    for name in ("new", "old"):
        os.remove(f"{folder}/{name}")
EOF
seen=$(python3 probe.py)
echo "$seen"

expected="disk: renamed; plain rename: renamed; link: linked, links 2 and 2
mirror: EINVAL; plain rename: renamed; link: linked, links 1 and 2"
[[ $seen == "$expected" ]] || { echo "The behavior has changed. Expected:" && echo "$expected" && exit 1; }
