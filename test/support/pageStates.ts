import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFoundPage } from '../../src/core/client/responseReaders.ts';
import type { FileEntry } from '../../src/core/model/fileEntry.ts';
import type { TransferState } from '../../src/core/model/transferModel.ts';
import type { MetadataSnapshot, ShownImage } from '../../src/webviews/messages/metadataMessages.ts';
import type { ShownRow, TableSnapshot } from '../../src/webviews/messages/tableMessages.ts';
import { transferStates, type PageTransfer } from '../../src/webviews/messages/transferMessages.ts';
import { withDerived, type GivenTransfer } from './pageTransfer.ts';
import { createPng } from './tinyImages.ts';

const database = 'Some Database';
const began = Date.UTC(2026, 0, 5, 9);
const idFact = { label: 'Transfer ID', text: 'f0e1d2c3-0000-4000-8000-000000000000', isCode: true };
const states = Object.fromEntries(transferStates.map((state) => [state, `The word ${state}`]));

/**
 * Returns the first message to the transfer page, for a transfer of three files in the given state. `more` overrides
 * fields of the transfer.
 */
export function transferNews(state: TransferState, more: Partial<GivenTransfer> = {}): Record<string, unknown> {
  const transfer = withDerived({
    key: 'k',
    id: 'f0e1d2c3-0000-4000-8000-000000000000',
    order: {
      connectionId: 'c',
      orcid: '0000-0002-1825-0097',
      source: database,
      destination: 'My Data',
      description: 'For a **first look**, see [the plan](https://example.org/plan) and `notes.md`',
      instructions: { priority: 'low', steps: ['copy', 'verify'] },
    },
    firstFiles: ['a.csv', 'b.csv', 'c.csv'].map((name) => ({ id: name, name, sizeBytes: 1000 })),
    requestedFileCount: 3,
    statusText: `The word ${state}`,
    facts: [{ label: 'Submitted', at: began }, idFact],
    sizeBytes: 3000,
    ended: false,
    canCancel: false,
    canSubmitAgain: false,
    createdAt: began,
    state,
    changes: [
      { state: 'accepted', at: began },
      { state, at: began + 5000 },
    ],
    ...more,
  });
  return { ...transferSnapshot(transfer), type: 'start', words: { language: 'en' }, states };
}

/** Returns a later message to the transfer page. The message shows a transfer one minute after it was submitted. */
export function transferSnapshot(transfer: PageTransfer): Record<string, unknown> {
  return { type: 'snapshot', snapshot: { key: 'k', now: began + 60_000, transfer } };
}

const moved = (movedFileCount: number): GivenTransfer['status'] & object => ({ fileCount: 3, movedFileCount });

/** First messages to the transfer page, one for each visually distinct state, by a description of the state. */
export const transferPages: Readonly<Record<string, Record<string, unknown>>> = {
  'a transfer that waits': transferNews('staging', { canCancel: true }),
  'a transfer that runs': transferNews('active', {
    canCancel: true,
    status: { ...moved(2), message: 'copying c.csv' },
    movement: [
      { at: began, moved: 0 },
      { at: began + 30_000, moved: 2 },
    ],
    estimate: { text: 'about 1 to 2 min', basis: 'from how fast its files came so far' },
  }),
  'a transfer of a large file': transferNews('active', {
    canCancel: true,
    requestedFileCount: 1,
    sizeBytes: 200e9,
    firstFiles: [{ id: 'a', name: `${'a-very-long-name-of-a-run-'.repeat(8)}.fastq.gz`, sizeBytes: 200e9 }],
    status: {
      fileCount: 1,
      movedFileCount: 0,
      message: 'transferring 1 file (200.0 GB)',
      bytes: { total: 200e9, staged: 200e9, copied: 80.4e9, verified: 78e9 },
    },
    movement: [
      { at: began, moved: 0, copiedBytes: 0 },
      { at: began + 30_000, moved: 0, copiedBytes: 80.4e9 },
    ],
    estimate: { text: '40–45 min', basis: 'based on data transferred so far' },
  }),
  'a transfer of a large file that is staged': transferNews('staging', {
    canCancel: true,
    requestedFileCount: 1,
    sizeBytes: 200e9,
    status: { fileCount: 1, movedFileCount: 0, bytes: { total: 200e9, staged: 1.27e9, copied: 0, verified: 0 } },
  }),
  'a transfer whose files are on this machine': transferNews('succeeded', {
    ended: true,
    canSubmitAgain: true,
    status: moved(3),
    place: {
      folder: '/data/received/dts-f0e1d2c3-0000-4000-8000-000000000000',
      revealLabel: 'Reveal in File Explorer',
      verified: 'Verified 5 minutes ago: all 3 files are as transferred.',
      hasReport: true,
    },
  }),
  'a transfer whose files have changed': transferNews('succeeded', {
    ended: true,
    canSubmitAgain: true,
    status: moved(3),
    place: {
      folder: '/data/received/dts-f0e1d2c3-0000-4000-8000-000000000000',
      revealLabel: 'Reveal in File Explorer',
      verified: 'Verified 5 minutes ago: 1 of 3 files is missing or has changed.',
      hasReport: true,
      canResend: true,
    },
  }),
  'a transfer that an agent proposed': transferNews('active', {
    canCancel: true,
    status: moved(1),
    facts: [{ label: 'Requested by', text: 'Claude Code, confirmed by you' }, idFact],
  }),
  'a transfer that left out files': transferNews('succeeded', {
    ended: true,
    canSubmitAgain: true,
    status: moved(2),
    statusText: 'incomplete: 2 of 3 files transferred',
    place: {
      folder: '/data/received/dts-f0e1d2c3-0000-4000-8000-000000000000',
      revealLabel: 'Reveal in File Explorer',
      missing: 'Not transferred: reads/sample-2.fastq.gz',
    },
  }),
  'a transfer of files with licenses': transferNews('succeeded', {
    ended: true,
    canSubmitAgain: true,
    status: moved(3),
    licenses: [
      { name: 'CC-BY-4.0', url: 'https://spdx.org/licenses/CC-BY-4.0.html', files: '1 file' },
      {
        name: 'All rights reserved',
        files: '1 file',
        warning: 'The license of 1 file forbids redistribution: All rights reserved',
      },
      { name: 'Not stated', files: '1 file' },
    ],
  }),
  'a transfer whose files are at its destination': transferNews('succeeded', {
    ended: true,
    canSubmitAgain: true,
    status: moved(3),
    place: { folder: 'dts-f0e1d2c3-0000-4000-8000-000000000000' },
  }),
  'a transfer that completed without its files': transferNews('succeeded', {
    statusText: 'incomplete: 0 of 3 files transferred',
    ended: true,
    canSubmitAgain: true,
    status: { fileCount: 0, movedFileCount: 0 },
  }),
  'a transfer that is paused': transferNews('active', {
    statusText: 'paused: the local service is stopped',
    paused: true,
    status: moved(2),
  }),
  'a transfer that the user has paused': transferNews('inactive', {
    statusText: 'paused',
    canCancel: true,
    pauseChange: 'resume',
    status: { ...moved(2), isPaused: true },
  }),
  'a transfer that failed': transferNews('failed', {
    ended: true,
    canSubmitAgain: true,
    status: { ...moved(1), message: 'could not write b.csv: permission denied' },
  }),
  'a transfer some of whose files failed': transferNews('failed', {
    ended: true,
    canSubmitAgain: true,
    status: { ...moved(1), message: 'could not read b.csv: permission denied' },
    fileStates: {
      summary: '1 failed to arrive, 12 not begun or stopped, 1 arrived',
      rows: [
        {
          path: `reads/${'a long folder name '.repeat(8)}/${'x'.repeat(150)}.fastq.gz`,
          look: 'failed',
          state: 'failed',
          size: '1.2 GB',
          problem: 'could not read it: permission denied (failed attempts: 5)',
        },
        { path: 'c.csv', look: 'stopped', state: 'not begun or stopped', size: '1 kB' },
      ],
      more: '11 more files',
    },
  }),
  'a transfer whose files are being transferred': transferNews('active', {
    canCancel: true,
    status: moved(1),
    fileStates: {
      summary: '1 being transferred, 1 waiting, 1 arrived',
      rows: [
        { path: 'b.csv', look: 'running', state: 'being transferred', size: '1 kB' },
        {
          path: 'c.csv',
          look: 'waiting',
          state: 'waiting for another attempt',
          size: '1 kB',
          problem: 'could not read it: too many open files',
        },
      ],
    },
  }),
  'a transfer that was not confirmed': transferNews('notConfirmed', {
    canSubmitAgain: true,
    problem: 'the connection was closed before the answer came',
  }),
  'a transfer that is not known': { ...transferNews('active'), snapshot: { key: 'k', now: began } },
};

/** Returns the first message to the metadata page. If `file` is omitted, the message contains no metadata. */
function metadataNews(file?: FileEntry, more: Partial<MetadataSnapshot> = {}): Record<string, unknown> {
  const { id, name } = file ?? { id: 'f', name: 'f.csv' };
  const ref = { connectionId: 'c', database, id, name };
  const found = file && { found: file, receivedAt: began };
  return {
    type: 'start',
    words: { language: 'en' },
    snapshot: { ref, kept: false, loading: false, ...found, ...more },
  };
}

/** Converts a resource to a file as the page receives it. Throws if the resource is invalid. */
export function createEntry(resource: unknown): FileEntry {
  const [file] = readFoundPage({ resources: [resource] }, database, false).files;
  if (file?.kind !== 'file') throw new Error('This resource is not one of a file.');
  return file;
}

const withSchema = createEntry({
  id: 's',
  name: 'stations.csv',
  path: 'data/stations.csv',
  bytes: 194,
  hash: `sha256:${'a'.repeat(64)}`,
  description: 'The *five* stations, as `measure.py` writes them:\n\n```\nid,height\n```',
  schema: { fields: [{ name: 'id', type: 'string', description: 'What it is called' }, { name: 'height' }] },
  licenses: [{ name: 'CC0-1.0', path: 'https://creativecommons.org/publicdomain/zero/1.0/' }],
});

const image = createEntry({ id: 'i', name: 'heights.png', bytes: 4200 });

/** Returns the preview of an image as the metadata page receives it, with the sizes and type that are told. */
export function imagePreview(bytes: Buffer, told: Partial<ShownImage> = {}): ShownImage {
  const failure = "The image can't be shown: it is damaged.";
  const content = bytes.toString('base64');
  return { state: 'image', type: 'image/png', width: 600, height: 400, content, failure, ...told };
}

/** First messages to the metadata page, one for each visually distinct state, by a description of the state. */
export const metadataPages: Readonly<Record<string, Record<string, unknown>>> = {
  'a file with a schema': metadataNews(withSchema, { staging: 'unstaged' }),
  'a file with copies and a citation': metadataNews(withSchema, {
    copies: [
      { database: 'Archive', name: 'stations.csv' },
      { database: 'Lab Share', name: 'stations (2).csv' },
    ],
    citation:
      'Lovelace, A. (2026). *Stations* (Version 2) [Data set]. Example Archive. https://doi.org/10.5072/example-stations',
  }),
  'a file of a real service': metadataNews(createEntry(realResources()['nmdc-1'])),
  'a file that is asked for': metadataNews(undefined, { loading: true }),
  "a file that couldn't be read": metadataNews(undefined, {
    problem: "Could not read f.csv: the service can't be reached.",
  }),
  'a file with an image': metadataNews(image, { offer: 'image', preview: imagePreview(createPng(600, 400)) }),
  'a file with a large image': metadataNews(image, {
    canOpen: true,
    offer: 'image',
    preview: { state: 'problem', text: "The image can't be shown: it is larger than 512 kB.", remedy: 'open' },
  }),
  'a file from before': metadataNews(withSchema, { old: true, problem: "The service can't be reached." }),
};

const script = '<img src=x onerror=alert(1)><script>alert(2)</script>';
const unsafe = ['javascript:alert(3)', 'data:text/html,x', 'command:workbench.action.quit', 'file:///etc/passwd'];

/** A file resource with texts and links that could break a row, a title or a page, or mislead the user. */
export const hostileResource = {
  id: 'hostile',
  name: `${script}\u202egnp.exe\u0007`,
  path: `<img src=x onerror=alert(1)> $(zap) [click](${unsafe[2]}) \u202egnp.exe`,
  format: script,
  mediatype: script,
  hash: script,
  bytes: 7,
  title: script,
  description: `${script}\n\n[go](${unsafe[0]}) [on](${unsafe[2]}) ![](https://elsewhere.test/x.png)`,
  sources: unsafe.map((path) => ({ title: script, path, email: 'x" onclick="alert(4)' })),
  licenses: unsafe.map((path) => ({ name: script, path })),
  schema: { fields: [{ name: script, type: script, description: script, constraints: { [script]: script } }] },
  credit: { contributors: [{ name: script, contributor_id: unsafe[0], email: unsafe[0] }], url: unsafe[3] },
  [script]: { [script]: [script] },
};

/** Returns file resources from real services, by a name such as `nmdc-1`. */
export function realResources(): Readonly<Record<string, unknown>> {
  const file = join(import.meta.dirname, 'realResources.json');
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
}

/** Returns the columns of a table of files with the given IDs. */
function tableColumns(...ids: readonly string[]): TableSnapshot['columns'] {
  return ids.map((id) => ({ id, label: `The ${id}`, kind: id === 'size' ? 'size' : 'text' }));
}

/** Returns the first message to the table, with `rows` as its first rows. */
export function tableNews(rows: readonly ShownRow[], more: Partial<TableSnapshot> = {}): Record<string, unknown> {
  const shownChecked = rows.filter(({ isChecked }) => isChecked).length;
  const snapshot: TableSnapshot = {
    subject: 'k',
    filter: '',
    isToggled: false,
    active: 0,
    version: 1,
    title: '“weather” in Some Database',
    columns: tableColumns('name', 'folder', 'size'),
    total: rows.length,
    shown: rows.length,
    shownCheckable: rows.filter(({ isChecked }) => isChecked !== undefined).length,
    shownChecked,
    hasChecks: true,
    unit: 'file',
    filterLabel: 'Filter by name or folder',
    toggleLabel: 'Checked only',
    emptyText: 'The reason why nothing is shown',
    remarks: [],
    barText: `${shownChecked} checked`,
    barLabel: 'Checked files',
    buttons: [
      { type: 'transfer', label: 'Transfer…', isPrimary: true },
      { type: 'save', label: 'Save…', isPrimary: false },
    ],
    isLoading: false,
    mayHaveMore: false,
    canRetry: false,
    ...more,
  };
  return { type: 'start', words: { language: 'en' }, snapshot, rows };
}

/** Returns `count` rows of a table of files, of which every third is checked. */
export function tableRows(count: number, first = 0): readonly ShownRow[] {
  return Array.from({ length: count }, (_, position) => {
    const index = first + position;
    return { key: `f${index}`, cells: [`file-${index}.csv`, 'data/2026', 1000], isChecked: index % 3 === 0 };
  });
}

const hostileRow: ShownRow = { key: 'hostile', cells: [`${script}\u202egnp.exe\n`, script, 7], isChecked: false };

/** Returns the first message to the table of a verification. */
function reportNews(rows: readonly ShownRow[], more: Partial<TableSnapshot> = {}): Record<string, unknown> {
  return tableNews(rows, {
    title: 'Verification: Received Files',
    hasChecks: false,
    unit: 'row',
    filterLabel: 'Filter the rows',
    toggleLabel: 'Problems only',
    columns: tableColumns('path', 'result', 'details', 'size'),
    remarks: [{ kind: 'warning', text: '1 of 3 files is missing, 1 has changed.' }],
    barText: 'Sample Data → Received Files · Jan 5, 9:00 AM',
    barLabel: 'Verification: Received Files',
    buttons: [
      { type: 'resend', label: 'Transfer Missing or Changed Files Again…', isPrimary: true },
      { type: 'save', label: 'Save…', isPrimary: false },
    ],
    ...more,
  });
}

const reportRows: readonly ShownRow[] = [
  { key: '0', cells: ['data/observations-2023.csv', 'Missing', '', 1000] },
  { key: '1', cells: [`${'a long folder/'.repeat(20)}${script}`, 'Changed', `sha256: ${'a'.repeat(64)}`, 1000] },
  { key: '2', cells: ['stations.csv', 'Verified', '', 2000] },
];

/** First messages to the table, one for each visually distinct state, by a description of the state. */
export const tablePages: Readonly<Record<string, Record<string, unknown>>> = {
  'a table of files': tableNews(tableRows(50), { sort: { column: 'size', isDescending: true } }),
  'a table of 50,000 files': tableNews(tableRows(100), {
    total: 50_000,
    shown: 50_000,
    barText: '500 checked · 563 kB · 20 in other searches',
  }),
  'a table of all that is known of files': tableNews(
    [
      {
        key: 'f',
        cells: ['a.csv', 'data', 1000, 'csv', 'Some Database', 'Archive', 'staged', 'CC0-1.0', 'Lovelace, Ada'],
        isChecked: true,
      },
      {
        key: 'g',
        cells: ['x'.repeat(300), 'a folder/'.repeat(30), '', '', 'Archive', '', '', '', ''],
        isChecked: false,
      },
    ],
    {
      columns: tableColumns('name', 'folder', 'size', 'format', 'database', 'alsoIn', 'staged', 'license', 'credit'),
    },
  ),
  'a table of files with hostile names': tableNews([hostileRow, ...tableRows(2)], {
    remarks: [{ kind: 'warning', text: '1 unreadable result is only in the search results.' }],
  }),
  'a table that is loading': tableNews(tableRows(3), { isLoading: true, mayHaveMore: true }),
  'a report with problems': reportNews(reportRows),
  'a report without problems': reportNews([], {
    total: 3,
    isToggled: true,
    emptyText: 'There are no problems.',
    remarks: [{ kind: 'info', text: 'All 3 files verified: all hashes match.' }],
  }),
  'a report that is no longer stored': reportNews([], {
    remarks: [{ kind: 'error', text: 'This report is no longer available. Verify the files again.' }],
    emptyText: '',
    buttons: [],
  }),
  'a table whose filter matches nothing': tableNews([], { total: 12, filter: 'nothing' }),
  'a table of no files': tableNews([]),
  'a table of a search that failed': tableNews(tableRows(2), {
    mayHaveMore: true,
    canRetry: true,
    remarks: [{ kind: 'error', text: "Could not search Some Database: the service can't be reached." }],
  }),
};
