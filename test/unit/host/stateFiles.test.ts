import assert from 'node:assert/strict';
import fs, { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StateFiles } from '../../../src/extension/editor/stateFiles.ts';
import { systemClock } from '../../../src/core/util/clock.ts';
import { fillDisk } from '../../support/fullDisk.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

/** The state that the editor stores for an extension. */
class EditorState {
  readonly values = new Map<string, unknown>();

  get(name: string): unknown {
    return this.values.get(name);
  }

  update(name: string): Promise<void> {
    this.values.delete(name);
    return Promise.resolve();
  }
}

function replaceReadFile(replacement: unknown): void {
  Object.assign(fs, { readFile: replacement });
  syncBuiltinESMExports();
}

describe('The state files (D45)', () => {
  let root: string;
  let folder: string;
  let editorState: EditorState;
  let log: MemoryLog;
  let files: StateFiles;

  const openWindow = (): StateFiles => new StateFiles({ folder, editorState, clock: systemClock, log });
  const add = (entry: string) => (value: unknown) => [...(Array.isArray(value) ? (value as unknown[]) : []), entry];

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'state-files-'));
    folder = join(root, 'state');
    editorState = new EditorState();
    log = new MemoryLog();
    files = openWindow();
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it('have a value on disk when the call that stores it resolves', async () => {
    await files.write('last', 'a');
    assert.equal(await readFile(join(folder, 'last.json'), 'utf8'), '"a"');
    assert.equal(await openWindow().read('last'), 'a');
    await files.update('list', add('b'));
    assert.deepEqual(await openWindow().read('list'), ['b']);
  });

  it('leave no other files', async () => {
    await files.write('last', 'a');
    await files.update('last', add('b'));
    assert.deepEqual(await readdir(folder), ['last.json']);
  });

  it("keep the order of a window's writes", async () => {
    const values = Array.from({ length: 20 }, (_, place) => place);
    await Promise.all(values.map((value) => files.write('last', value)));
    assert.equal(await openWindow().read('last'), 19);
  });

  it('lose no simultaneous change of several windows', async () => {
    const windows = [files, openWindow(), openWindow()];
    await Promise.all(
      windows.flatMap((one, place) => [`${place}a`, `${place}b`].map((x) => one.update('list', add(x)))),
    );
    assert.deepEqual([...((await files.read('list')) as string[])].sort(), ['0a', '0b', '1a', '1b', '2a', '2b']);
  });

  it('read a value of version 0.1 from the editor’s state until it is stored in a file', async () => {
    editorState.values.set('list', ['old']);
    editorState.values.set('last', 'x');
    assert.deepEqual(await files.read('list'), ['old']);
    assert.deepEqual([...editorState.values.keys()], ['list', 'last']);
    await files.update('list', add('new'));
    assert.deepEqual(await openWindow().read('list'), ['old', 'new']);
    assert.deepEqual([...editorState.values.keys()], ['last'], 'a deleted file does not bring the old value back');
  });

  it('prefer the file to the editor’s state', async () => {
    await files.write('last', 'new');
    editorState.values.set('last', 'old');
    assert.equal(await openWindow().read('last'), 'new');
  });

  it('are read as missing, and logged once, if a file is damaged or unreadable', async () => {
    await mkdir(join(folder, 'folder.json'), { recursive: true });
    await writeFile(join(folder, 'damaged.json'), '{"half');
    for (let count = 0; count < 3; count += 1)
      assert.deepEqual([await files.read('damaged'), await files.read('folder')], [undefined, undefined]);
    assert.equal(log.lines.length, 2);
    await files.update('damaged', add('new'));
    assert.deepEqual(await openWindow().read('damaged'), ['new']);
  });

  it('are not replaced by a change if they cannot be read', async () => {
    const clock = new ManualClock();
    files = new StateFiles({ folder, editorState, clock, log });
    await files.update('list', add('a'));
    const { readFile: read } = fs;
    const refuse = (): Promise<never> => Promise.reject(Object.assign(new Error('EIO: i/o error'), { code: 'EIO' }));
    replaceReadFile(refuse);
    try {
      await files.update('list', add('b'));
    } finally {
      replaceReadFile(read);
    }
    assert.equal(log.lines.length, 1, log.lines.join('\n'));
    assert.deepEqual(await openWindow().read('list'), ['a']);
    // The lock could not be read either, so it was not released. It goes stale after ten seconds.
    await clock.pass(10_000);
    await files.update('list', add('c'));
    assert.deepEqual(await openWindow().read('list'), ['a', 'c']);
  });

  it('keep the values in memory on a full disk, log it once, and store them when there is space again', async () => {
    await files.write('last', 'before');
    const emptyDisk = fillDisk(folder);
    try {
      for (const value of ['during', 'later']) await files.write('last', value);
      await files.update('list', add('a'));
      assert.equal(await files.read('last'), 'later');
      assert.deepEqual(await files.read('list'), ['a']);
      assert.equal(await openWindow().read('last'), 'before');
    } finally {
      emptyDisk();
    }
    assert.equal(log.lines.length, 2, log.lines.join('\n'));
    await files.write('last', 'after');
    await files.update('list', add('b'));
    assert.deepEqual([await openWindow().read('last'), await openWindow().read('list')], ['after', ['a', 'b']]);
  });

  it('keep working if the folder cannot be created', async () => {
    await writeFile(folder, 'a file in its place');
    await files.write('last', 'a');
    await files.update('list', add('b'));
    assert.deepEqual([await files.read('last'), await files.read('list')], ['a', ['b']]);
  });
});
