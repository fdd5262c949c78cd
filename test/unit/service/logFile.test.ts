import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { LogFile } from '../../../src/service/logFile.ts';
import { lineLogger } from '../../../src/service/stderrLogger.ts';

describe('The log of a shared service', () => {
  let folder: string;
  let file: string;

  beforeEach(async () => {
    folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-log-'));
    file = nodePath.join(folder, 'service.log');
  });
  afterEach(() => fs.rm(folder, { recursive: true }));

  it('is for its owner alone, and goes on where it was', async () => {
    new LogFile(file).write('one\n');
    new LogFile(file).write('two\n');
    assert.equal(await fs.readFile(file, 'utf8'), 'one\ntwo\n');
    assert.equal((await fs.stat(file)).mode & 0o777, 0o600);
  });

  it('never holds more than 1 MB, with one older log beside it', async () => {
    const line = `${'x'.repeat(99_999)}\n`;
    const log = new LogFile(file);
    for (let number = 0; number < 35; number += 1) log.write(line);
    assert.deepEqual((await fs.readdir(folder)).sort(), ['service.log', 'service.log.old']);
    assert.equal((await fs.stat(`${file}.old`)).size, 1_000_000);
    assert.equal((await fs.stat(file)).size, 500_000);
  });

  it('does not harm the service when it cannot be written', () => {
    const log = new LogFile(nodePath.join(folder, 'no-such-folder', 'service.log'));
    assert.doesNotThrow(() => log.write('lost\n'));
  });

  it('has one line for each message, with nothing in it that changes how it reads', () => {
    const lines: string[] = [];
    const logger = lineLogger(
      (line) => lines.push(line),
      () => [],
    );
    logger.warn('a\nb\u2028c\u202ed\u2066e\u001b[2J');
    assert.match(lines.join(), /^\S+ warn a b c\\u202ed\\u2066e \[2J\n$/);
  });
});
