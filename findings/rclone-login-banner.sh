#!/usr/bin/env bash
# A greeting in .bashrc makes rclone compare files on an SFTP server by size only, even after the greeting is removed.
#
# Most people would guess that a line which .bashrc prints is harmless if listing and copying work. But rclone runs
# `md5sum` on the server once, finds more than a hash in its output, and writes `md5sum_command = none` into its
# configuration, without a message. From then on, `rclone check` reports that files of equal size match, whatever they
# contain, and ends with 0. Only if both lines are removed from the configuration, it finds the difference.
#
# Seen with: rclone 1.60.1+dfsg-2+b5 (Debian 12), OpenSSH 9.2, as root; the same with rclone 1.75.2.
set -euo pipefail

folder=$(mktemp -d)
server=
cleanup() {
  if [[ -n $server ]]; then kill "$server" || true; fi
  rm -rf "$folder"
}
trap cleanup EXIT
cd "$folder"
apt-get download rclone=1.60.1+dfsg-2+b5 >/dev/null 2>&1 || { echo "The package isn't available." && exit 1; }
dpkg -x ./rclone_*.deb package
export RCLONE_CONFIG=$folder/rclone.conf
mkdir home source target
echo 'echo Welcome' >home/.bashrc
echo one >source/file.txt
echo two >target/file.txt

port=$((20000 + RANDOM % 10000))
ssh-keygen -q -t ed25519 -N '' -f host
ssh-keygen -q -t ed25519 -N '' -f user
cat >sshd.conf <<END
Port $port
ListenAddress 127.0.0.1
HostKey $folder/host
AuthorizedKeysFile $folder/user.pub
StrictModes no
PidFile none
SetEnv HOME=$folder/home
Subsystem sftp internal-sftp
END
mkdir -p /run/sshd
/usr/sbin/sshd -D -f sshd.conf 2>/dev/null &
server=$!
until (echo >"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
  kill -0 "$server" || exit 1
done
printf '[lab]\ntype = sftp\nhost = 127.0.0.1\nport = %s\nuser = %s\nkey_file = %s/user\n' "$port" "$(id -un)" "$folder" \
  >rclone.conf

check() {
  local code=0
  package/usr/bin/rclone check source "lab:$folder/target" >log 2>&1 || code=$?
  echo "exit status $code, differences: $(grep -oP '[0-9]+(?= differences found)' log | head -1)," \
    "configured: $(grep -oP '(md5|sha1)sum_command = \K.*' rclone.conf | xargs)"
}
greeted=$(check)
rm home/.bashrc
removed=$(check)
sed -i /sum_command/d rclone.conf
seen="with the greeting: $greeted
without the greeting: $removed
with a new configuration: $(check)"
echo "$seen"

expected="with the greeting: exit status 0, differences: 0, configured: none none
without the greeting: exit status 0, differences: 0, configured: none none
with a new configuration: exit status 1, differences: 1, configured: md5sum sha1sum"
[[ $seen == "$expected" ]] || { echo "The behavior has changed. Expected:" && echo "$expected" && exit 1; }
