import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { CopyingBucket } from '../../support/copyingBucket.ts';
import { CountingProxy } from '../../support/countingProxy.ts';
import { debianServerKinds } from '../../support/debianServers.ts';
import { describeWithEachRclone } from '../../support/rclones.ts';
import { StoreRig } from '../../support/storeRig.ts';

const large = randomBytes(4_000_000);
const files = { 'a.txt': 'a', 'empty.txt': '', 'deep/er/b, 100%.csv': 'x,y\n', 'large.bin': large };

interface Manifest {
  readonly resources: readonly { readonly path: string; readonly hash: string }[];
}

function digest(algorithm: string, content: string | Buffer): string {
  return `${algorithm}:${createHash(algorithm).update(content).digest('hex')}`;
}

describe('Copies within a store (D66)', () => {
  let rig: StoreRig;
  let proxy: CountingProxy;
  let databases: readonly { readonly name: string; readonly remote: string }[];

  before(async () => {
    proxy = await CountingProxy.start(() => rig.servers.getPort('s3'));
    const section = [
      '[counted]',
      'type = s3',
      'provider = Other',
      'access_key_id = S3RVER',
      'secret_access_key = S3RVER',
    ];
    const address = [`endpoint = http://127.0.0.1:${proxy.port}`, 'force_path_style = true', 'region = us-east-1', ''];
    const remotes = [...section, ...address].join('\n');
    rig = await StoreRig.start(['s3', 'dav', 'sftp'], {}, { remotes });
    await rig.stopService();
    for (const [path, content] of Object.entries(files)) {
      await rig.servers.write('s3', { [`from/${path}`]: content });
      await rig.servers.write('dav', { [`from/${path}`]: content });
      await rig.servers.write('sftp', { [`from/${path}`]: content });
    }
    const names = ['counted:lab/from', 'counted:lab/to', 'dav:from', 'dav:to', 'sftp:from', 'sftp:to'];
    databases = names.map((remote) => ({ name: remote.replaceAll(/\W/g, '-'), remote }));
    await rig.startService({ remotes: databases });
  });
  after(async () => {
    await rig.stop();
    proxy.stop();
  });

  async function copy(from: string, to: string): Promise<{ readonly message: string; readonly id: string }> {
    const found = await rig.find(from);
    const { status, message, id } = await rig.transfer(
      from,
      to,
      found.map((file) => file.id),
    );
    assert.equal(status, 'succeeded', message);
    return { message, id };
  }

  function readHashes(manifest: string): Record<string, string> {
    const { resources } = JSON.parse(rig.servers.read(manifest).toString()) as Manifest;
    return Object.fromEntries(resources.map(({ path, hash }) => [path, hash]));
  }

  it('send no content through this machine, and are verified by the hashes of the store', async () => {
    const before = proxy.bytes;
    const { id, message } = await copy('counted-lab-from', 'counted-lab-to');
    assert.match(message, /: completed successfully, verified by .*md5 within the store/);
    assert.ok(proxy.bytes - before < 300_000, `${proxy.bytes - before} bytes`);
    for (const [path, content] of Object.entries(files))
      assert.deepEqual(rig.servers.read(`s3:lab/to/dts-${id}/${path}`), Buffer.from(content), path);
    assert.deepEqual(rig.servers.list(`s3:lab/to/dts-${id}`), [...Object.keys(files), 'manifest.json'].sort());
  });

  it('have the hash of the store in the manifest, and no SHA-256, which was not computed', async () => {
    const { id } = await copy('counted-lab-from', 'counted-lab-to');
    assert.deepEqual(readHashes(`s3:lab/to/dts-${id}/manifest.json`), {
      'a.txt': digest('md5', 'a'),
      'deep/er/b, 100%.csv': digest('md5', 'x,y\n'),
      // An empty object is moved through this machine, which computes its SHA-256.
      'empty.txt': digest('sha256', ''),
      'large.bin': digest('md5', large),
    });
  });

  it('are read back if the store has no hashes', async () => {
    const { id, message } = await copy('dav-from', 'dav-to');
    assert.match(message, /verified by reading back$/);
    const hashes = Object.fromEntries(
      Object.entries(files).map(([path, content]) => [path, digest('sha256', content)]),
    );
    assert.deepEqual(readHashes(`dav:to/dts-${id}/manifest.json`), hashes);
  });

  it('need a store that can copy; otherwise the content passes through this machine', async () => {
    const { message } = await copy('sftp-from', 'sftp-to');
    assert.match(message, /verified by md5$/);
  });

  it('continue after the service was killed, without duplicating files', async () => {
    const found = await rig.find('counted-lab-from');
    const id = await rig.submit(
      'counted-lab-from',
      'counted-lab-to',
      found.map((file) => file.id),
    );
    await rig.waitForStatus(id, 'active', 'finalizing', 'succeeded');
    await rig.killService();
    await rig.startService({ remotes: databases });
    const { status, message } = await rig.waitForStatus(id, 'succeeded', 'failed');
    assert.equal(status, 'succeeded', message);
    const names = [...Object.keys(files), 'manifest.json'].map((path) => `dts-${id}/${path}`);
    assert.deepEqual(
      rig.servers.list('s3:lab/to').filter((name) => name.includes(id)),
      names.sort(),
    );
  });
});

describe('A store that copies objects wrongly (D66)', () => {
  const content = randomBytes(12_000_000);
  let bucket: CopyingBucket;
  let rig: StoreRig;

  beforeEach(async () => {
    bucket = await CopyingBucket.startWithNote('from/large.bin', content);
    const encrypted = bucket.section.replace('[odd]', '[kms]');
    const remotes = `${bucket.section}copy_cutoff = 5Mi\n${encrypted}server_side_encryption = aws:kms\n`;
    rig = await StoreRig.start([], {}, { remotes });
    await rig.stopService();
    const names = ['odd:odd/from', 'odd:odd/to', 'kms:odd/from', 'kms:odd/to'];
    const databases = names.map((remote) => ({ name: remote.replaceAll(/\W/g, '-'), remote }));
    await rig.startService({ remotes: databases, gone: false });
  });
  afterEach(async () => {
    await rig.stop();
    bucket.stop();
  });

  async function assertCopied(remote: string, expected: RegExp): Promise<void> {
    const [file] = await rig.find(`${remote}-odd-from`);
    assert.ok(file);
    assert.equal(file.hash, digest('md5', content));
    const { status, message, id } = await rig.transfer(`${remote}-odd-from`, `${remote}-odd-to`, [file.id]);
    assert.equal(status, 'succeeded', message);
    assert.match(message, expected);
    assert.ok(bucket.getContent(`to/dts-${id}/large.bin`)?.equals(content));
  }

  it('is made to copy them whole if multipart copies would inherit the hash of the original', async () => {
    bucket.wrongCopies = 'in pieces';
    await assertCopied('odd', /verified by md5 within the store$/);
  });

  it('is detected if it encrypts them, so that the inherited hash is the only one', async () => {
    bucket.isEncrypted = true;
    bucket.wrongCopies = 'all';
    await assertCopied('kms', /verified by (?:md5|reading back)/);
  });
});

describeWithEachRclone('A store that copies objects as hard links (D66)', () => {
  for (const kind of debianServerKinds.filter((one) => one === 'openssh'))
    it('copies none itself, so that a change to an original leaves its copy unchanged', async () => {
      const rig = await StoreRig.start([kind], { [kind]: { 'from/a.txt': 'content' } });
      try {
        await rig.stopService();
        const config = await fs.readFile(rig.servers.configFile, 'utf8');
        await fs.writeFile(rig.servers.configFile, config.replace(`[${kind}]`, `[${kind}]\ncopy_is_hardlink = true`));
        const remotes = ['from', 'to'].map((name) => ({ name, remote: `${rig.servers.remote(kind)}/${name}` }));
        await rig.startService({ remotes });
        const [file] = await rig.find('from');
        assert.ok(file);
        const { status, message, id } = await rig.transfer('from', 'to', [file.id]);
        assert.equal(status, 'succeeded', message);
        await fs.appendFile(nodePath.join(rig.servers.folder(kind), 'from/a.txt'), ', changed');
        assert.equal(rig.servers.read(`${rig.servers.remote(kind)}/to/dts-${id}/a.txt`).toString(), 'content');
      } finally {
        await rig.stop();
      }
    });
});
