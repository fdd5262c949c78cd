#!/usr/bin/env bash
# rclone 1.75.2 can't list a WebDAV share of lighttpd 1.4.69, which rclone 1.60.1 lists.
#
# Most people would guess that a newer client lists what an older one does. Both send PROPFIND, but only the newer one
# names the properties that it wants, in a body without a Content-Type. lighttpd answers 415, so that rclone doesn't
# even open the share, and shows the server's page. With `headers = Content-Type,application/xml`, which rclone adds to
# all requests, listing, writing and reading work, as the answers to both bodies by curl suggest.
#
# Seen with: rclone 1.60.1+dfsg-2+b5 and lighttpd 1.4.69-1 (Debian 12), rclone 1.75.2+dfsg-1 (Debian sid).
set -euo pipefail

folder=$(mktemp -d)
server=
cleanup() {
  if [[ -n $server ]]; then kill "$server" || true; fi
  rm -rf "$folder"
}
trap cleanup EXIT
cd "$folder"
unavailable() { echo "The packages aren't available." && exit 1; }
apt-get download rclone=1.60.1+dfsg-2+b5 lighttpd=1.4.69-1 lighttpd-mod-webdav=1.4.69-1 >/dev/null 2>&1 || unavailable
for package in ./*.deb; do dpkg -x "$package" old; done
mkdir -p lists/partial cache/archives/partial sid share
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian sid main" >sid.list
options=(-oDir::Etc::sourcelist="$folder/sid.list" -oDir::Etc::sourceparts=- -oAPT::Sandbox::User=root
  -oDir::State::lists="$folder/lists" -oDir::Cache="$folder/cache")
(cd sid && apt-get "${options[@]}" update && apt-get "${options[@]}" download rclone) >/dev/null 2>&1 || unavailable
dpkg -x sid/rclone_*.deb new

port=$((20000 + RANDOM % 10000))
echo content >share/file.txt
cat >lighttpd.conf <<END
server.document-root = "$folder/share"
server.port = $port
server.bind = "127.0.0.1"
server.modules = ("mod_webdav")
server.upload-dirs = ("$folder")
webdav.activate = "enable"
END
old/usr/sbin/lighttpd -D -f lighttpd.conf -m old/usr/lib/lighttpd 2>/dev/null &
server=$!
until (echo >"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
  kill -0 "$server" || exit 1
done
share="type = webdav\nurl = http://127.0.0.1:$port\nvendor = other"
printf "[plain]\n$share\n[typed]\n$share\nheaders = Content-Type,application/xml\n" >rclone.conf
export RCLONE_CONFIG=$folder/rclone.conf

list() {
  local code=0
  "$1/usr/bin/rclone" lsf "$2:" >list 2>log || code=$?
  echo "$("$1/usr/bin/rclone" version | grep -oP '^rclone v\K[0-9.]+'), $2: exit status $code, $(
    cat list <(grep -oP '<h1>\K[^<]+' log) | sort -u | xargs
  )"
}
ask() { curl -s -o /dev/null -w '%{http_code}' -X PROPFIND -H 'Depth: 1' "$@" "http://127.0.0.1:$port/"; }
body='<propfind xmlns="DAV:"><prop><getcontentlength/></prop></propfind>'
seen="$(list old plain)
$(list new plain)
$(list new typed)
curl: $(ask) without a body, $(ask -H 'Content-Type:' -d "$body") without a type, $(
  ask -H 'Content-Type: application/xml' -d "$body"
) with a type"
echo "$seen"

expected="1.60.1, plain: exit status 0, file.txt
1.75.2, plain: exit status 1, 415 Unsupported Media Type
1.75.2, typed: exit status 0, file.txt
curl: 207 without a body, 415 without a type, 207 with a type"
[[ $seen == "$expected" ]] || { echo "The behavior has changed. Expected:" && echo "$expected" && exit 1; }
