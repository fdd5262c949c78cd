import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createXlsx } from './xlsxFile.ts';

/** Number of files in the study. The spreadsheet lists the first 35. */
const fileCount = 40;

const credit = {
  identifier: 'doi:10.5072/alpine-streams.2025',
  titles: [{ title: 'Temperature and discharge of alpine streams' }],
  publisher: { organization_name: 'Alpine Observatory' },
  dates: [{ event: 'issued', date: '2025-11-03' }],
  version: '2',
  contributors: [
    { contributor_type: 'Person', family_name: 'Müller', given_name: 'Anna Lena', contributor_roles: ['Creator'] },
    { contributor_type: 'Person', family_name: 'Okafor', given_name: 'Chidi', contributor_roles: ['Creator'] },
  ],
};

/** Returns the licenses of a file. Files 31 to 33 state `All rights reserved`; files 34 and 35 state no license. */
function listLicenses(number: number): object {
  if (number === 34 || number === 35) return {};
  const restricted = { name: 'All rights reserved' };
  const open = { name: 'CC-BY-4.0', path: 'https://creativecommons.org/licenses/by/4.0/' };
  return { licenses: [number > 30 && number < 34 ? restricted : open] };
}

/** Returns the ID of a file in the study, such as `ALP-0007`. */
export function getStudyId(number: number): string {
  return `ALP-${String(number).padStart(4, '0')}`;
}

/** Returns the path of a file in the study, such as `streams/stream-07.json`. */
export function getStudyPath(number: number): string {
  return `streams/stream-${String(number).padStart(2, '0')}.json`;
}

/**
 * Writes a study to a folder: 40 JSON files of one dataset, with IDs and hashes, and the spreadsheet `study.xlsx` with
 * 40 rows. 37 rows contain the IDs of 35 files, two of them twice; the IDs in the other three rows are unknown.
 */
export async function writeStudy(folder: string): Promise<void> {
  const numbers = Array.from({ length: fileCount }, (_, index) => index + 1);
  const resources = numbers.map((number) => ({
    id: getStudyId(number),
    name: getStudyPath(number).replace(/^.*\//, ''),
    path: getStudyPath(number),
    hash: `sha256:${createHash('sha256').update(formatMeasurements(number)).digest('hex')}`,
    format: 'json',
    title: `Stream ${number}, hourly values`,
    credit,
    ...listLicenses(number),
  }));
  await mkdir(join(folder, 'streams'), { recursive: true });
  for (const number of numbers) await writeFile(join(folder, getStudyPath(number)), formatMeasurements(number));
  const dataPackage = { name: 'alpine-streams', title: 'Alpine streams', resources };
  await writeFile(join(folder, 'datapackage.json'), JSON.stringify(dataPackage, undefined, 2));
  await writeFile(join(folder, 'study.xlsx'), createXlsx({ Samples: listSamples() }));
}

function formatMeasurements(number: number): string {
  const temperature = Array.from({ length: 24 }, (_, hour) => Number((4 + number / 10 + hour / 8).toFixed(2)));
  return `${JSON.stringify({ stream: number, unit: '°C', temperature })}\n`;
}

/** Returns the rows of the spreadsheet: the header, files 1 to 35, the unknown files, and files 3 and 12 again. */
function listSamples(): readonly (readonly string[])[] {
  const known = Array.from({ length: 35 }, (_, index) => getStudyId(index + 1));
  const ids = [...known, 'ALP-9001', 'ALP-9002', 'ALP-9003', getStudyId(3), getStudyId(12)];
  const rows = ids.map((id, index) => [`S${String(index + 1).padStart(2, '0')}`, id, index % 2 ? 'Rhône' : 'Inn']);
  return [['sample', 'file_id', 'catchment'], ...rows];
}
