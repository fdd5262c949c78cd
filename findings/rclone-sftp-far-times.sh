#!/usr/bin/env bash
# rclone gives a file of 1960 the year 2096 on an SFTP server, without an error, and copies it again in every later run.
#
# Most people would guess that a time which the protocol can't express is left out or reported, as rclone does for
# stores that keep no times, or that SFTP's 32 bits of seconds are signed, as in Unix, and end in 2038. Instead, they
# are unsigned, and rclone sends the lower 32 bits: 1960 becomes 2096, 2200 becomes 2064, 2050 is right. Because the
# copy never has the time of its source, each run replaces the file, however large it is, and ends with 0.
#
# Seen with: rclone 1.60.1+dfsg-2+b5 (Debian 12) as the client, and as the server; the same with 1.75.2. Times in UTC.
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
export TZ=UTC RCLONE_CONFIG=$folder/rclone.conf
touch rclone.conf
mkdir source target
for year in 1960 2021 2050 2200; do
  echo "$year" >"source/$year.txt"
  touch -d "$year-07-08 09:10:11" "source/$year.txt"
done

package/usr/bin/rclone serve sftp target --addr 127.0.0.1:0 --user example --pass example >server.log 2>&1 &
server=$!
port=
while [[ -z $port ]]; do
  kill -0 "$server" || { cat server.log && exit 1; }
  port=$(grep -oP 'listening on 127\.0\.0\.1:\K[0-9]+' server.log || true)
done
password=$(package/usr/bin/rclone obscure example)
copy() {
  package/usr/bin/rclone copy source ":sftp,host=127.0.0.1,port=$port,user=example,pass=$password,shell_type=none:" \
    --use-json-log --log-level INFO >log.json 2>&1
  echo "exit status $?, copied" "$(grep -oP '"object":"\K[^"]+' log.json | sort | xargs)"
}
seen="first run: $(copy)
second run: $(copy)
third run: $(copy)
$(cd target && stat --format '%n: %y' -- * | cut -d. -f1,2)"
echo "$seen"

expected="first run: exit status 0, copied 1960.txt 2021.txt 2050.txt 2200.txt
second run: exit status 0, copied 1960.txt 2200.txt
third run: exit status 0, copied 1960.txt 2200.txt
1960.txt: 2096-08-13 15:38:27
2021.txt: 2021-07-08 09:10:11
2050.txt: 2050-07-08 09:10:11
2200.txt: 2064-05-31 02:41:55"
[[ $seen == "$expected" ]] || { echo "The behavior has changed. Expected:" && echo "$expected" && exit 1; }
