#!/usr/bin/env bash
# A spreadsheet's date in ISO 8601 (cell type "d", as in strict workbooks and from openpyxl with `iso_dates`) has four
# values in four readers.
#
# Most people would guess that "2021-06-03T10:00:00", the only form of a date in a workbook that a person can read, is
# also the one on which readers agree. Instead, exceljs parses the number at its start and returns 2021 without an
# error; SheetJS makes a serial number of it, shown as "44350.41667", because such a cell needs no date format;
# read-excel-file takes the time zone of the machine, although the format has none; hucre returns the text.
#
# Seen with: exceljs 4.4.0, @e965/xlsx 0.20.3 (SheetJS), read-excel-file 9.3.17, hucre 1.0.0, in New York's time zone.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund \
  fflate@0.8.3 exceljs@4.4.0 @e965/xlsx@0.20.3 read-excel-file@9.3.17 hucre@1.0.0 >/dev/null 2>&1

cat >probe.mjs <<'EOF'
import { strToU8, zipSync } from 'fflate';
import ExcelJS from 'exceljs';
import * as sheetJs from '@e965/xlsx';
import readExcelFile from 'read-excel-file/universal';
import { readXlsx } from 'hucre/xlsx';

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const rels = (type, target) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${relations}/${type}" Target="${target}"/></Relationships>`;
const parts = {
  '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${types}.worksheet+xml"/></Types>`,
  '_rels/.rels': rels('officeDocument', 'xl/workbook.xml'),
  'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets><sheet name="Dates" sheetId="1" r:id="r1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': rels('worksheet', 'worksheets/sheet1.xml'),
  'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}"><sheetData><row r="1"><c r="A1" t="d"><v>2021-06-03T10:00:00</v></c></row></sheetData></worksheet>`,
};
const bytes = zipSync(Object.fromEntries(Object.entries(parts).map(([path, text]) => [path, strToU8(text)])));

const show = (name, value) => console.log(`${name}: ${value instanceof Date ? value.toISOString() : JSON.stringify(value)}`);
const workbook = new ExcelJS.Workbook();
await workbook.xlsx.load(Buffer.from(bytes));
show('exceljs', workbook.worksheets[0].getCell('A1').value);
show('SheetJS', sheetJs.read(bytes).Sheets.Dates.A1.w);
show('read-excel-file', (await readExcelFile(bytes.slice().buffer))[0].data[0][0]);
show('hucre', (await readXlsx(bytes)).sheets[0].rows[0][0]);
EOF
seen=$(TZ=America/New_York node probe.mjs)
echo "$seen"

expected='exceljs: 2021
SheetJS: "44350.41667"
read-excel-file: 2021-06-03T14:00:00.000Z
hucre: "2021-06-03T10:00:00"'
[[ $seen == "$expected" ]] || { echo "The behavior has changed. Expected:" && echo "$expected" && exit 1; }
