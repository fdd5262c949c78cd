import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { readManifest } from '../../src/core/verification/transferManifest.ts';
import { eventually } from '../support/eventually.ts';
import { ServiceRig } from '../support/serviceRig.ts';

const orcid = '0000-0002-1825-0097';
const secret = 'this must never be disclosed';

/** Names of files, some with a folder, on systems that allow every character except `/` and NUL. */
const names = [
  ...[
    'caf\u00e9.txt',
    'cafe\u0301.txt',
    `${'n'.repeat(251)}.txt`,
    `${'\u00e9'.repeat(125)}.txt`,
    'a,b.txt',
    '100%.txt',
    '%2C.txt',
  ],
  ...[
    '..a',
    'a..',
    '...',
    'a\\b.txt',
    '..\\a.txt',
    'C:.txt',
    'CON',
    'nul.txt',
    'a:b',
    'c:d/e.csv',
    'data:1.csv',
    'c:/f.csv',
    'a\nb.txt',
    '\u0007\u001b[31m.txt',
    '\u202etxt.a',
  ],
  ...[
    "'; DROP TABLE files; --",
    '"quoted".txt',
    '__proto__',
    'constructor',
    ' ',
    ' a ',
    '-rf',
    '$(id)',
    '&lt;b&gt;',
    '<b>.txt',
    '*',
    '?',
  ],
].filter((name) => !name.startsWith('.'));

describe('Files with odd names in the local service (D20)', () => {
  let rig: ServiceRig;

  before(async () => {
    rig = await ServiceRig.start(Object.fromEntries(names.map((name) => [`odd/${name}`, `the content of ${name}`])));
  });

  after(async () => await rig.stop());

  async function findIds(query: string): Promise<string[]> {
    const response = await rig.call('POST', '/api/v1/files', { database: 'Source Data', orcid, query });
    return (response.body as { resources: { id: string }[] }).resources.map(({ id }) => id);
  }

  it('are all found, each with its own id without a comma', async () => {
    assert.deepEqual((await rig.find('')).sort(), names.map((name) => `odd/${name}`).sort());
    const ids = await findIds('');
    assert.equal(new Set(ids).size, names.length);
    assert.ok(ids.every((id) => !id.includes(',')));
  });

  it('are returned by their ids in both forms (§4.4)', async () => {
    const ids = await findIds('');
    const body = { database: 'Source Data', orcid, file_ids: ids };
    const byPost = await rig.call('POST', '/api/v1/files/by-id', body);
    const list = ids.map(encodeURIComponent).join(',');
    const byGet = await rig.call('GET', `/api/v1/files/by-id?database=source-data&orcid=${orcid}&ids=${list}`);
    assert.equal(byPost.status, 200);
    assert.deepEqual(byGet.body, byPost.body);
  });

  it('are transferred under their own names, byte by byte (D24)', async () => {
    const id = await rig.mustSubmit(await findIds(''));
    const { status, message } = await rig.waitForStatus(id, 'succeeded', 'failed');
    assert.equal(status, 'succeeded', message);
    await rig.call('POST', '/api/v1/files', { database: 'Target', orcid, query: '' });
    assert.deepEqual(
      rig.logged.filter((line) => line.includes('manifest.json')),
      [],
    );
    const manifest = await readManifest(nodePath.join(rig.target, `dts-${id}`, 'manifest.json'));
    assert.deepEqual([manifest.problems, manifest.files.length], [[], names.length]);
    for (const name of names) {
      const content = await fs.readFile(nodePath.join(rig.target, `dts-${id}`, 'odd', name), 'utf8');
      assert.equal(content, `the content of ${name}`);
    }
  });
});

describe('Links that lead out of a database of the local service (D20)', () => {
  let rig: ServiceRig;

  beforeEach(async () => {
    rig = await ServiceRig.start({ 'a.txt': 'a', 'data/b.txt': 'b' });
    await fs.mkdir(nodePath.join(rig.root, 'outside'));
    await fs.writeFile(nodePath.join(rig.root, 'outside', 'b.txt'), secret);
  });

  afterEach(async () => await rig.stop());

  async function link(target: string, path: string): Promise<void> {
    await fs.symlink(target, nodePath.join(rig.source, path));
  }

  async function readContent(id: string): Promise<unknown> {
    const response = await rig.call('POST', '/api/v1/files/by-id', { database: 'Source Data', orcid, file_ids: [id] });
    return (response.body as { resources?: { bytes: number }[] }).resources?.[0]?.bytes;
  }

  /** Submits a transfer. Asserts that it is refused or fails, and that no received file contains the secret. */
  async function assertNothingTransferred(id: string): Promise<void> {
    const response = await rig.submit([id]);
    if (response.status === 201) await rig.waitForStatus((response.body as { id: string }).id, 'failed');
    else assert.equal(response.status, 404);
    for (const path of await rig.listReceivedFiles()) {
      assert.ok(!(await fs.readFile(nodePath.join(rig.target, path), 'utf8')).includes(secret), path);
    }
  }

  it('are not followed: to a file, to a folder, in a chain, out and back in, in a circle', async () => {
    await link('../outside/b.txt', 'file.txt');
    await link('../outside', 'folder');
    await link('file.txt', 'chain-1.txt');
    await link('chain-1.txt', 'chain-2.txt');
    await link('../outside/../outside/b.txt', 'round.txt');
    await link('/etc/passwd', 'absolute.txt');
    await link('ring.txt', 'ring.txt');
    await link('nowhere.txt', 'dangling.txt');
    await link('../source/a.txt', 'out-and-in.txt');
    await rig.restart();
    assert.deepEqual(await rig.find(''), ['a.txt', 'data/b.txt', 'out-and-in.txt']);
    for (const id of ['file.txt', 'folder/b.txt', 'chain-2.txt', 'absolute.txt']) {
      assert.equal(await readContent(id), undefined);
      assert.equal((await rig.submit([id])).status, 404);
    }
  });

  it('are not followed when one replaces a file after it was read', async () => {
    assert.equal(await readContent('a.txt'), 1);
    await fs.rm(nodePath.join(rig.source, 'a.txt'));
    await link('../outside/b.txt', 'a.txt');
    assert.ok([1, undefined].includes((await readContent('a.txt')) as number | undefined));
    await assertNothingTransferred('a.txt');
    await eventually(async () => ((await readContent('a.txt')) === undefined ? true : undefined));
  });

  it('are not followed when one replaces a folder after it was read', async () => {
    assert.equal(await readContent('data/b.txt'), 1);
    await fs.rename(nodePath.join(rig.source, 'data'), nodePath.join(rig.source, 'moved'));
    await link('../outside', 'data');
    assert.ok([1, undefined].includes((await readContent('data/b.txt')) as number | undefined));
    await assertNothingTransferred('data/b.txt');
    await eventually(async () => ((await readContent('data/b.txt')) === undefined ? true : undefined));
  });

  it('are not followed when one replaces a file while its transfer runs', async () => {
    await rig.write({ 'large.bin': 'x'.repeat(300_000) });
    await rig.restart({ throttleBytesPerSecond: 100_000 });
    const id = await rig.mustSubmit(['large.bin', 'data/b.txt']);
    await rig.waitForStatus(id, 'active');
    await fs.rename(nodePath.join(rig.source, 'data'), nodePath.join(rig.source, 'moved'));
    await link('../outside', 'data');
    await rig.waitForStatus(id, 'failed');
    assert.ok(!(await rig.listReceivedFiles()).some((path) => path.endsWith('b.txt')));
  });
});
