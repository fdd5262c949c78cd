import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addToChecksum,
  endChecksum,
  formatLock,
  readWrittenLock,
  startChecksum,
  type RecipeLock,
} from '../../../src/core/recipes/recipeLock.ts';
import { emptyLock } from './specimens.ts';

const head = emptyLock;
const files = [
  { id: 'a', path: 'a.fq', bytes: 1, hash: 'md5:0cc175b9c0f1b6a831c399e269772661' },
  { id: 'b', path: 'b.fq' },
];
const lines = files.map((file) => JSON.stringify(file));

describe('Reading a lock line by line (D61)', () => {
  let path: string;
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'written-lock-'));
    path = join(folder, 'reads.transfer.lock.json');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function read(text: string): Promise<RecipeLock | undefined> {
    await writeFile(path, text);
    return await readWrittenLock(path);
  }

  /** Formats a lock with the given lines as its files, and with their checksum. */
  function format(fileLines: readonly string[]): string {
    const hash = startChecksum(head);
    for (const line of fileLines) addToChecksum(hash, line);
    const [start = ''] = formatLock(head).split('  "files"');
    const list = fileLines.map((line) => `    ${line}`).join(',\n');
    return `${start}  "files": [\n${list}\n  ],\n  "checksum": "${endChecksum(hash)}"\n}\n`;
  }

  it('returns what was written', async () => {
    assert.equal(format(lines), formatLock({ ...head, files }));
    assert.deepEqual(await read(format(lines)), { ...head, files });
    assert.deepEqual(await read(format(lines.slice(1))), { ...head, files: files.slice(1) });
  });

  it('rejects with the error of the system if there is none', async () => {
    await assert.rejects(readWrittenLock(path), { code: 'ENOENT' });
  });

  for (const [name, line] of [
    ['white space', '{"id": "b","path":"b.fq"}'],
    ['another order of fields', '{"path":"b.fq","id":"b"}'],
    ['another field', '{"id":"b","path":"b.fq","more":1}'],
    ['an ID that is not a string', '{"id":5,"path":"b.fq"}'],
    ['a path that is not a string', '{"id":"b","path":5}'],
    ['a size that is not a number', '{"id":"b","path":"b.fq","bytes":"5"}'],
    ['a hash that is not a string', '{"id":"b","path":"b.fq","hash":5}'],
    ['a value that is not an object', '5'],
    ['the ID of the previous file', '{"id":"a","path":"b.fq"}'],
    ['an ID that sorts before the previous one', '{"id":"0","path":"b.fq"}'],
  ] as const) {
    it(`refuses a file with ${name}, even if the checksum fits`, async () => {
      assert.equal(await read(format([lines[0] ?? '', line])), undefined);
    });
  }

  const text = format(lines);
  for (const [name, changed] of [
    ['another checksum', text.replace('"checksum": "sha256:', '"checksum": "sha256:0')],
    ['a comma after the last file', text.replace('"b.fq"}\n', '"b.fq"},\n')],
    ['no comma between two files', text.replace('661"},', '661"}')],
    ['a file after the list', text.replace('  ],\n', `  ],\n    ${lines[1] ?? ''}\n`)],
    ['another line at the end', `${text}x\n`],
    ['no end', text.replace(/ {2}\],\n[^]*$/, '')],
    ['no last line', text.replace(/}\n$/, '')],
    ['no files', text.replace(/ {2}"files"[^]*$/, '')],
    ['an invalid head', text.replace('"from": "plants"', '"from": 5')],
    ['another version', text.replace('"version": 1', '"version": 2')],
    ['a very long head', `{\n${'\n'.repeat(20)}${text.slice(2)}`],
    ['no content', ''],
  ] as const) {
    it(`refuses a lock with ${name}`, async () => {
      assert.notEqual(changed, text);
      assert.equal(await read(changed), undefined);
    });
  }
});
