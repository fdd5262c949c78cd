import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { mustFindRclone } from '../../support/storeServers.ts';
import { StoreRig } from '../../support/storeRig.ts';

describe('Stores as databases (D62)', () => {
  let rig: StoreRig;

  before(async () => {
    const files = { 'reads/a.fastq': 'aaaa', 'reads/b, 100%.csv': 'x,y\n', 'notes.txt': 'note', '.hidden/x': 'x' };
    rig = await StoreRig.start(['sftp', 'dav', 's3'], { sftp: files, dav: files, s3: files });
  });

  after(async () => await rig.stop());

  for (const kind of ['sftp', 'dav', 's3'] as const) {
    it(`list the objects of ${kind} and find them like the files of a folder`, async () => {
      assert.deepEqual(await rig.findPaths(kind), ['notes.txt', 'reads/a.fastq', 'reads/b, 100%.csv']);
      assert.deepEqual(await rig.findPaths(kind, 'format:csv bytes:>3'), ['reads/b, 100%.csv']);
      assert.deepEqual(await rig.findPaths(kind, 'reads -csv'), ['reads/a.fastq']);
      const [file] = await rig.find(kind, 'fastq');
      assert.equal(file?.bytes, 4);
      assert.ok(Math.abs(Date.parse(file.modified ?? '') - Date.now()) < 120_000, file.modified);
      const { url, listing } = await rig.describe(kind);
      assert.deepEqual([url, listing?.state, listing?.files], [`rclone:${rig.servers.remote(kind)}`, 'listed', 3]);
    });
  }

  it('have the MD5 hash that an S3 listing contains', async () => {
    const [file] = await rig.find('s3', 'note');
    assert.equal(file?.hash, `md5:${createHash('md5').update('note').digest('hex')}`);
  });

  it('report why a store is unreachable, without affecting the others', async () => {
    const { status, body } = await rig.call('POST', '/api/v1/files', { database: 'gone', orcid: 'x', query: '' });
    assert.equal(status, 500);
    assert.match(
      JSON.stringify(body),
      /The store of the database gone can't be searched: its server refuses connections/,
    );
  });

  it('can be scanned while another rclone replaces the configuration', async () => {
    const rclone = nodePath.join(rig.servers.root, 'rclone');
    const [seen, missing] = [`${rclone}.seen`, `${rclone}.missing`];
    const first = `[ -e '${seen}' ] || { touch '${seen}'; export RCLONE_CONFIG='${missing}'; }`;
    const lines = [
      '#!/bin/sh',
      `case "$*" in *features*dav:reads/) ${first} ;; esac`,
      `exec '${mustFindRclone()}' "$@"`,
    ];
    await fs.writeFile(rclone, `${lines.join('\n')}\n`, { mode: 0o755 });
    await rig.stopService();
    await rig.startService({ rclone, remotes: [{ name: 'again', remote: 'dav:reads' }], gone: false });
    try {
      assert.deepEqual(await rig.findPaths('again'), ['a.fastq', 'b, 100%.csv']);
      await fs.access(seen);
    } finally {
      await rig.stopService();
      await rig.startService();
    }
  });
});
