import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { saveScreenshot } from '../../support/editor/failureArtifacts.ts';

describe('the screenshots of a failed test', () => {
  let folder: string;
  let log: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'failure-artifacts-'));
    log = join(folder, 'test.log');
    await writeFile(log, 'the log of the editor\n');
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('are replaced by the reason in the log if the page answers too late', async () => {
    const page = { screenshot: () => Promise.reject(new Error('page.screenshot: Timeout 90000ms exceeded.')) };
    assert.equal(await saveScreenshot(page, join(folder, 'test-1.png'), log), false);
    const text = await readFile(log, 'utf8');
    assert.equal(text, 'the log of the editor\nNo test-1.png: page.screenshot: Timeout 90000ms exceeded.\n');
  });

  it('leave the log as it is if the page answers', async () => {
    const page = { screenshot: () => Promise.resolve(Buffer.from('picture')) };
    assert.equal(await saveScreenshot(page, join(folder, 'test-1.png'), log), true);
    assert.equal(await readFile(log, 'utf8'), 'the log of the editor\n');
  });
});
