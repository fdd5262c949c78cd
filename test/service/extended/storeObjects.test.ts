import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import type { ProblemDocument } from '../../../src/contract/contract.ts';
import { eventually } from '../../support/eventually.ts';
import { OddBucket } from '../../support/oddBucket.ts';
import { StoreRig } from '../../support/storeRig.ts';

/** Objects whose names are also valid paths in a folder. */
const plain = {
  con: 'con',
  'aux.txt': 'aux',
  'Case.txt': 'upper',
  'case.txt': 'lower',
  ' lead and trail ': 'spaces',
  'back\\slash.txt': 'backslash',
  '-rf': 'option',
  '[lab]:x': 'remote',
  [`${'d'.repeat(250)}/${'e'.repeat(250)}/${'f'.repeat(250)}/${'g'.repeat(250)}/${'h'.repeat(20)}`]: '1,024 bytes',
};

/** Objects whose names lead out of a folder or can't be the path of a file. */
const hostile = {
  '../x': 'parent',
  'a/../../../y': 'parents',
  '/absolute.txt': 'absolute',
  'double//slash': 'slashes',
  './dot': 'dot',
  'marker/': '',
};

/** Objects of which one has the name of the other's folder. */
const nested = { thing: 'outer', 'thing/inside.txt': 'inner' };

describe('The objects of a bucket (D62)', () => {
  const large = randomBytes(600_000);
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`many/${index}.txt`, 'x']));
  const parts = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`parts/${index}.bin`, large]));
  let bucket: OddBucket;
  let rig: StoreRig;

  before(async () => {
    bucket = await OddBucket.start({ ...plain, ...hostile, ...nested, ...many, ...parts, 'line\nbreak.txt': 'line' });
    rig = await StoreRig.start([], {}, { remotes: bucket.section });
    await rig.stopService();
    const remotes = [
      { name: 'odd', remote: bucket.remote },
      { name: 'thing', remote: `${bucket.remote}/thing` },
    ];
    await rig.startService({ remotes, throttleBytesPerSecond: 3_000_000 });
    await rig.waitForListing('odd');
  });
  after(async () => {
    await rig.stop();
    bucket.stop();
  });

  it('can be 20,000 in one prefix, which the server lists in pages', async () => {
    assert.equal((await rig.find('odd', 'path:many/*.txt')).length, 20_000);
  });

  it('are never written outside the destination, whatever their names', async () => {
    const found = (await rig.find('odd', '-path:many/* -path:parts/*')).filter(({ path }) => !path.includes('\n'));
    const paths = found.map(({ path }) => path);
    for (const path of Object.keys(plain)) assert.ok(paths.includes(path), `${path}\n${paths.join('\n')}`);
    for (const path of paths) assert.ok(!/(?:^|\/)(?:\.{0,2})(?:\/|$)/.test(path), path);
    const ids = found.filter(({ path }) => path in plain).map(({ id }) => id);
    const { status, message, id } = await rig.transfer('odd', 'folder', ids);
    assert.equal(status, 'succeeded', message);
    const folder = nodePath.join(rig.folder, `dts-${id}`);
    for (const [path, content] of Object.entries(plain))
      assert.equal(await fs.readFile(nodePath.join(folder, path), 'utf8'), content, path);
    for (const { path, id: other } of found.filter(({ path }) => !(path in plain))) {
      const end = await rig.transfer('odd', 'folder', [other]);
      assert.match(end.message, /completed successfully/, path);
    }
    assert.ok((await fs.readdir(rig.folder)).every((name) => name.startsWith('dts-')));
    assert.deepEqual((await fs.readdir(nodePath.dirname(rig.folder))).sort(), ['data', 'folder']);
  });

  it('are refused before anything is sent if one has the name of the folder of another, and both are named', async () => {
    const found = (await rig.find('odd', '-path:many/* -path:parts/*')).filter(({ path }) => path in nested);
    assert.deepEqual(found.map(({ path }) => path).toSorted(), Object.keys(nested));
    const before = await fs.readdir(rig.folder);
    const ids = found.map(({ id }) => id);
    const { status, body } = await rig.requestTransfer({ source: 'odd', destination: 'folder', file_ids: ids });
    assert.equal(status, 422);
    assert.equal(
      (body as ProblemDocument).detail,
      'A transfer can\'t contain "thing" and "thing/inside.txt", because a folder can\'t have the name of a file. Transfer them separately.',
    );
    assert.deepEqual(await fs.readdir(rig.folder), before);
    for (const id of ids) assert.equal((await rig.transfer('odd', 'folder', [id])).status, 'succeeded');
  });

  it('are found and transferred in a prefix that is also the name of an object', async () => {
    await rig.waitForListing('thing');
    const found = await rig.find('thing');
    assert.deepEqual(
      found.map(({ path, bytes }) => [path, bytes]),
      [['inside.txt', 5]],
    );
    const { id, status, message } = await rig.transfer(
      'thing',
      'folder',
      found.map((file) => file.id),
    );
    assert.equal(status, 'succeeded', message);
    assert.equal(await fs.readFile(nodePath.join(rig.folder, `dts-${id}`, 'inside.txt'), 'utf8'), 'inner');
  });

  it('wait for new credentials if the old ones expire during a transfer', async () => {
    const before = bucket.reads;
    const ids = (await rig.find('odd', 'path:parts/*')).map(({ id }) => id);
    const id = await rig.submit('odd', 'folder', ids);
    await eventually(async () => await Promise.resolve(bucket.reads > before + 2 || undefined));
    bucket.isExpired = true;
    const { message } = await rig.waitForStatus(id, 'inactive', 'failed', 'succeeded');
    assert.match(
      message,
      /waiting: the (?:source|store) can't be used: its server rejects the credentials; change them with "rclone config"$/,
    );
    bucket.isExpired = false;
    const end = await rig.waitForStatus(id, 'succeeded', 'failed');
    assert.deepEqual([end.status, end.num_files_transferred], ['succeeded', 20], end.message);
    for (const path of Object.keys(parts))
      assert.deepEqual(await fs.readFile(nodePath.join(rig.folder, `dts-${id}`, path)), large, path);
  });
});
