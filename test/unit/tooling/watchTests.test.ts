import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const script = join(import.meta.dirname, '..', '..', '..', 'scripts', 'watchTests.mjs');

describe('npm run test:watch', () => {
  let folder: string;
  let child: ChildProcess | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'watch-tests-'));
  });

  afterEach(async () => {
    if (child?.kill()) await once(child, 'exit');
    await rm(folder, { recursive: true, force: true });
  });

  it('runs a test file, with top-level await, and again after it has changed', async () => {
    const file = join(folder, 'one.test.mjs');
    const write = (title: string): Promise<void> =>
      writeFile(file, `const title = await Promise.resolve('${title}');\nit(title, () => undefined);\n`);
    await write('first title');
    const started = spawn(process.execPath, [script, file], { stdio: ['ignore', 'pipe', 'inherit'] });
    child = started;
    const seen: string[] = [];
    let text = '';
    for await (const chunk of started.stdout.setEncoding('utf8')) {
      text += String(chunk);
      const [title] = /✔ .*title/.exec(stripVTControlCharacters(text)) ?? [];
      // Node.js watches the file from the moment at which it says that it waits.
      if (title === undefined || !text.includes('Waiting for file changes')) continue;
      seen.push(title);
      if (seen.length === 2) break;
      text = '';
      await write('second title');
    }
    assert.deepEqual(seen, ['✔ first title', '✔ second title']);
  });
});
