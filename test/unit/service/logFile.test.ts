import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { createLineLogger, openLogFile } from '../../../src/service/serviceLog.ts';

describe('The log of a shared service', () => {
  let folder: string;
  let file: string;

  beforeEach(async () => {
    folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-log-'));
    file = nodePath.join(folder, 'service.log');
  });
  afterEach(() => fs.rm(folder, { recursive: true }));

  it('is readable by its owner only, and is appended to', async () => {
    openLogFile(file)('one\n');
    openLogFile(file)('two\n');
    assert.equal(await fs.readFile(file, 'utf8'), 'one\ntwo\n');
    assert.equal((await fs.stat(file)).mode & 0o777, 0o600);
  });

  it('is at most 1 MB, beside one older log', async () => {
    const line = `${'x'.repeat(99_999)}\n`;
    const write = openLogFile(file);
    for (let number = 0; number < 35; number += 1) write(line);
    assert.deepEqual((await fs.readdir(folder)).sort(), ['service.log', 'service.log.old']);
    assert.equal((await fs.stat(`${file}.old`)).size, 1_000_000);
    assert.equal((await fs.stat(file)).size, 500_000);
  });

  for (const [what, prevent] of Object.entries({
    'was removed': () => fs.rm(file),
    'cannot be renamed': () => fs.mkdir(`${file}.old`),
  }))
    it(`continues when the full file ${what}`, async () => {
      const line = `${'x'.repeat(99_999)}\n`;
      const write = openLogFile(file);
      for (let number = 0; number < 10; number += 1) write(line);
      await prevent();
      for (const text of [line, 'last\n']) write(text);
      assert.equal(await fs.readFile(file, 'utf8'), `${line}last\n`);
    });

  it('does not affect the service when it cannot be written', () => {
    const write = openLogFile(nodePath.join(folder, 'no-such-folder', 'service.log'));
    assert.doesNotThrow(() => write('lost\n'));
  });

  it('has one line per message, without misleading characters', () => {
    const lines: string[] = [];
    const logger = createLineLogger(
      (line) => lines.push(line),
      () => [],
    );
    logger.warn('a\nb\u2028c\u202ed\u2066e\u001b[2J');
    assert.match(lines.join(), /^\S+ warn a b c\\u202ed\\u2066e \[2J\n$/);
  });
});
