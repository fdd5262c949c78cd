#!/usr/bin/env bash
# hucre leaves out the rows of an OpenDocument sheet that are grouped or repeated as a header, without an error.
#
# Most people would guess that grouping rows or repeating a header on each printed page, which are kinds of formatting,
# changes nothing in the values of a sheet. They don't in XLSX, where both are attributes of rows. In OpenDocument,
# however, they are elements around the rows, as spreadsheet programs write them, and hucre reads only rows that stand
# directly in the table. With a header, the first row of data becomes the header; what is missing can't be noticed.
#
# Seen with: hucre 1.0.0.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund hucre@1.0.0 fflate@0.8.3 >/dev/null 2>&1

cat >probe.mjs <<'EOF'
import { strToU8, zipSync } from 'fflate';
import { readOds } from 'hucre/ods';

const media = 'application/vnd.oasis.opendocument.spreadsheet';
const oasis = 'urn:oasis:names:tc:opendocument:xmlns';
const names = ['office', 'table', 'text'].map((name) => `xmlns:${name}="${oasis}:${name}:1.0"`).join(' ');
const entries = { '/': media, 'content.xml': 'text/xml' };
const manifest = Object.entries(entries).map(
  ([path, type]) => `<m:file-entry m:full-path="${path}" m:media-type="${type}"/>`,
);

function row(text) {
  const cell = `<table:table-cell office:value-type="string"><text:p>${text}</text:p></table:table-cell>`;
  return `<table:table-row>${cell}</table:table-row>`;
}

function sheet(rows) {
  const table = `<table:table table:name="Files"><table:table-column/>${rows}</table:table>`;
  const body = `<office:body><office:spreadsheet>${table}</office:spreadsheet></office:body>`;
  return zipSync({
    mimetype: [strToU8(media), { level: 0 }],
    'META-INF/manifest.xml': strToU8(
      `<m:manifest xmlns:m="${oasis}:manifest:1.0" m:version="1.3">${manifest.join('')}</m:manifest>`,
    ),
    'content.xml': strToU8(`<office:document-content ${names} office:version="1.3">${body}</office:document-content>`),
  });
}

const [head, a, b, c] = ['file', 'a.csv', 'b.csv', 'c.csv'].map(row);
const sheets = {
  plain: head + a + b + c,
  header: `<table:table-header-rows>${head}</table:table-header-rows>${a}${b}${c}`,
  group: `${head}${a}<table:table-row-group>${b}</table:table-row-group>${c}`,
};
for (const [name, rows] of Object.entries(sheets)) {
  const workbook = await readOds(sheet(rows));
  console.log(`${name}: ${workbook.sheets[0].rows.flat().join(' ')}`);
}
EOF
seen=$(node probe.mjs)
echo "$seen"

expected="plain: file a.csv b.csv c.csv
header: a.csv b.csv c.csv
group: file a.csv c.csv"
[[ $seen == "$expected" ]] || { echo "The behavior has changed. Expected:" && echo "$expected" && exit 1; }
