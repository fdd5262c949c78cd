#!/usr/bin/env bash
# The Hugging Face client for JavaScript doesn't count files in folders when it scans a cache that it filled itself.
#
# Most people would guess that `scanCacheDir`, which lists the files and the size of each repository in a cache, finds
# what `snapshotDownload` of the same package has just stored. A snapshot is a folder of links to a folder of contents,
# and the download also creates its subfolders. The scan, however, skips every folder in a snapshot, and in `refs`: a
# repository with its weights in a folder seems to have a few bytes, and a revision with a slash in its name (that of a
# pull request is `refs/pr/1`) seems to belong to no name. The scan gives no warning.
#
# Seen with: @huggingface/hub 2.17.5. The server is a function, passed as `fetch`.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund @huggingface/hub@2.17.5 >/dev/null 2>&1

cat >probe.mjs <<'EOF'
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { scanCacheDir, snapshotDownload } from '@huggingface/hub';

console.debug = () => undefined;
const contents = { 'config.json': '{}', 'weights/part.bin': 'x'.repeat(1_000) };
const sha = 'c'.repeat(40);
const files = Object.entries(contents).map(([path, { length }], index) => {
  return { type: 'file', path, size: length, oid: String(index).repeat(40) };
});

function resolve(pathname) {
  const content = Object.entries(contents).find(([path]) => pathname.endsWith(path))[1];
  return new Response(content, { headers: { etag: 'e', 'content-range': `bytes 0-0/${content.length}` } });
}

async function fetch(url, options) {
  const { pathname } = new URL(url);
  if (pathname.includes('/tree/')) return Response.json([{ type: 'directory', path: 'weights' }, ...files]);
  if (pathname.includes('/paths-info/')) return Response.json(files.filter(({ path }) => options.body.includes(path)));
  return pathname.includes('/resolve/') ? resolve(pathname) : Response.json({ sha });
}

for (const revision of ['main', 'refs/pr/1']) {
  const cacheDir = join(process.cwd(), `cache-of-${revision.replaceAll('/', '-')}`);
  const snapshot = await snapshotDownload({ repo: 'lab/tiny', revision, cacheDir, fetch });
  const stored = readdirSync(snapshot, { recursive: true }).map((path) => join(snapshot, path));
  const sizes = stored.filter((path) => statSync(path).isFile()).map((path) => readFileSync(path).length);
  console.log(`${revision}, stored: ${sizes.length} files, ${sizes.reduce((sum, size) => sum + size)} bytes`);
  const { size, repos, warnings } = await scanCacheDir(cacheDir);
  const [{ filesCount, revisions }] = repos;
  console.log(
    `${revision}, scanned: ${filesCount} files, ${size} bytes, refs: ${revisions[0].refs.join() || 'none'}, ` +
      `warnings: ${warnings.length}`,
  );
}
EOF
seen=$(node probe.mjs)
echo "$seen"

expected="main, stored: 2 files, 1002 bytes
main, scanned: 1 files, 2 bytes, refs: main, warnings: 0
refs/pr/1, stored: 2 files, 1002 bytes
refs/pr/1, scanned: 1 files, 2 bytes, refs: none, warnings: 0"
[[ $seen == "$expected" ]] || { echo "The behavior has changed. Expected:" && echo "$expected" && exit 1; }
