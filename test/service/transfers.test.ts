import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import type { ProblemDocument } from '../../src/contract/contract.ts';
import { brokenRules } from '../support/dataPackageRules.ts';
import { ServiceRig } from '../support/serviceRig.ts';

const orcid = '0000-0002-1825-0097';
const unknownId = '00000000-0000-4000-8000-000000000000';

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

interface Manifest {
  readonly [field: string]: unknown;
  readonly resources: readonly { path: string; hash: string; bytes: number; name: string; title: string }[];
}

describe('A transfer of the local service', () => {
  let rig: ServiceRig;
  const files = {
    'a.txt': 'first',
    'sub/a.txt': 'second',
    'sub/x, 100%.csv': 'third',
    'empty.bin': '',
    'big.bin': 'x'.repeat(3_000_000),
    'datapackage.json': JSON.stringify({ resources: [{ path: 'a.txt', title: 'The first', hash: md5('first') }] }),
    'wrong/datapackage.json': JSON.stringify({ resources: [{ path: 'b.txt', hash: `sha1:${'0'.repeat(40)}` }] }),
    'wrong/b.txt': 'not what is stated',
    'manifest.json': '{"mine": true}',
  };
  const ids = ['sub/x%2C 100%25.csv', 'a.txt', 'sub/a.txt', 'empty.bin', 'big.bin'];

  before(async () => (rig = await ServiceRig.start(files)));
  after(async () => await rig.stop());

  async function readTarget(id: string, path: string): Promise<string> {
    return await fs.readFile(nodePath.join(rig.target, `dts-${id}`, path), 'utf8');
  }

  it('copies every byte to dts-<id> and succeeds with the right counts (D23, D24)', async () => {
    const id = await rig.mustSubmit(ids);
    assert.deepEqual(await rig.waitForStatus(id, 'succeeded', 'failed'), {
      id,
      status: 'succeeded',
      message: `Transfer ${id}: completed successfully`,
      num_files: 5,
      num_files_transferred: 5,
    });
    for (const path of ['sub/x, 100%.csv', 'a.txt', 'sub/a.txt', 'empty.bin', 'big.bin'] as const) {
      assert.equal(await readTarget(id, path), files[path]);
    }
  });

  it('writes a manifest that is a Data Package with the request and every hash (D24)', async () => {
    const instructions = { type: 'assembly', steps: [1, { deep: null }] };
    const id = await rig.mustSubmit(ids, { description: '# Why\n*this*', instructions });
    await rig.waitForStatus(id, 'succeeded');
    const manifest = JSON.parse(await readTarget(id, 'manifest.json')) as Manifest;
    assert.equal(manifest['profile'], 'data-package');
    assert.equal(manifest['description'], '# Why\n*this*');
    assert.deepEqual(manifest['instructions'], instructions);
    assert.equal(manifest['orcid'], orcid);
    assert.deepEqual(manifest['source'], { id: 'source-data', name: 'Source Data' });
    assert.deepEqual(manifest['destination'], { id: 'target', name: 'Target' });
    assert.deepEqual(
      manifest.resources.map(({ path, hash, bytes }) => ({ path, hash, bytes })),
      (['sub/x, 100%.csv', 'a.txt', 'sub/a.txt', 'empty.bin', 'big.bin'] as const).map((path) => ({
        path,
        hash: `sha256:${sha256(files[path])}`,
        bytes: files[path].length,
      })),
    );
    assert.deepEqual(brokenRules(manifest), []);
  });

  it('accepts a login name for an ORCID iD, for the cancel too, and leaves it out of the manifest (D19)', async () => {
    const id = await rig.mustSubmit(['a.txt'], { orcid: 'mmuster' });
    await rig.waitForStatus(id, 'succeeded');
    const manifest = await readTarget(id, 'manifest.json');
    assert.doesNotMatch(manifest, /mmuster|orcid/);
    const cancelAs = async (user: string): Promise<number> =>
      (await rig.call('DELETE', `/api/v1/transfers/${id}?orcid=${user}`)).status;
    assert.equal(await cancelAs('someone-else'), 403);
    assert.notEqual(await cancelAs('mmuster'), 403);
  });

  it('shows transferred files in the destination, with their metadata and hashes (D20)', async () => {
    const id = await rig.mustSubmit(['a.txt']);
    await rig.waitForStatus(id, 'succeeded');
    const body = { database: 'Target', orcid, query: `path:dts-${id}/a.txt` };
    const response = await rig.call('POST', '/api/v1/files', body);
    const [resource] = (response.body as { resources: Record<string, unknown>[] }).resources;
    assert.equal(resource?.['title'], 'The first');
    assert.equal(resource['hash'], `sha256:${sha256('first')}`);
  });

  it('makes a file staged, because its hash is cached afterwards (D22)', async () => {
    await rig.write({ 'fresh.txt': 'fresh' });
    await rig.restart();
    assert.deepEqual(await rig.find('fresh', { status: 'unstaged' }), ['fresh.txt']);
    assert.deepEqual(await rig.find('fresh', { status: 'staged' }), []);
    await rig.waitForStatus(await rig.mustSubmit(['fresh.txt']), 'succeeded');
    assert.deepEqual(await rig.find('fresh', { status: 'staged' }), ['fresh.txt']);
    assert.deepEqual(await rig.find('fresh', { status: 'unstaged' }), []);
  });

  it('transfers a file that is called manifest.json', async () => {
    const id = await rig.mustSubmit(['manifest.json']);
    await rig.waitForStatus(id, 'succeeded');
    assert.equal(await readTarget(id, 'manifest.json'), '{"mine": true}');
    assert.equal((JSON.parse(await readTarget(id, `manifest-${id}.json`)) as Manifest).resources.length, 1);
  });

  for (const name of ['Manifest.json', 'manife\u017Ft.json']) {
    it(`writes its manifest beside a folder that is called ${name}, which is the same name on some disks`, async () => {
      await rig.write({ [`${name}/c.txt`]: 'within' });
      await rig.restart();
      const id = await rig.mustSubmit([`${name}/c.txt`]);
      assert.equal((await rig.waitForStatus(id, 'succeeded', 'failed')).status, 'succeeded');
      assert.equal((JSON.parse(await readTarget(id, `manifest-${id}.json`)) as Manifest).resources.length, 1);
    });
  }

  it("fails with the file's name when its hash is not the declared one, and leaves nothing (D23)", async () => {
    const id = await rig.mustSubmit(['wrong/b.txt']);
    const status = await rig.waitForStatus(id, 'failed');
    const why = 'failed (could not read wrong/b.txt: it does not have the sha1 hash that its metadata states)';
    assert.equal(status.message, `Transfer ${id}: ${why}`);
    assert.ok(!(await rig.listReceivedFiles()).some((path) => path.includes(id)));
  });

  const wrongBodies: [fields: object, status: number, location: string | undefined, detail: RegExp][] = [
    [{ source: 'nothing' }, 404, 'body.source', /"nothing"/],
    [{ destination: 'nothing' }, 404, 'body.destination', /"nothing"/],
    [{ destination: 'source-data' }, 422, 'body.destination', /invalid field/],
    [{ file_ids: [] }, 422, 'body.file_ids', /invalid field/],
    [{ file_ids: ['a.txt', 'b', 'b', 'a.txt'] }, 422, 'body.file_ids.2', /each file only once/],
    [{ file_ids: ['a.txt', 'nope', '../secret'] }, 404, 'body.file_ids.1', /does not have all/],
    [{ file_ids: 'a.txt' }, 422, 'body.file_ids', /invalid field/],
    [{ file_ids: [5] }, 422, 'body.file_ids.0', /invalid field/],
    [{ orcid: undefined }, 422, 'body.orcid', /invalid field/],
    [{ orcid: '' }, 422, 'body.orcid', /invalid field/],
    [{ description: 5 }, 422, 'body.description', /invalid field/],
    [{ instructions: [] }, 422, 'body.instructions', /invalid field/],
  ];
  for (const [fields, status, location, detail] of wrongBodies) {
    it(`is rejected with ${status} when submitted with ${JSON.stringify(fields)} (§4.5)`, async () => {
      const response = await rig.submit(['a.txt'], fields);
      const problem = response.body as ProblemDocument;
      assert.equal(response.status, status);
      assert.match(problem.detail ?? '', detail);
      assert.equal(problem.errors?.[0]?.location, location);
    });
  }

  it('is rejected when its instructions are nested too deeply', async () => {
    const instructions = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const start = `{"orcid":"${orcid}","source":"source-data","destination":"target","file_ids":["a.txt"]`;
    const body = `${start},"instructions":${instructions}}`;
    const response = await rig.call('POST', '/api/v1/transfers', undefined, { body });
    assert.equal(response.status, 422);
    assert.equal((response.body as ProblemDocument).errors?.[0]?.location, 'body.instructions');
  });

  it('accepts null for optional fields, like the public server (§4.5, D26)', async () => {
    const id = await rig.mustSubmit(['a.txt'], { description: null, instructions: null });
    assert.equal((await rig.waitForStatus(id, 'succeeded', 'failed')).status, 'succeeded');
    const manifest = nodePath.join(rig.target, `dts-${id}`, 'manifest.json');
    const { description, instructions } = JSON.parse(await fs.readFile(manifest, 'utf8')) as Record<string, unknown>;
    const without = await rig.mustSubmit(['a.txt']);
    await rig.waitForStatus(without, 'succeeded', 'failed');
    const plain = JSON.parse(
      await fs.readFile(nodePath.join(rig.target, `dts-${without}`, 'manifest.json'), 'utf8'),
    ) as Record<string, unknown>;
    assert.deepEqual([description, instructions], [plain['description'], plain['instructions']]);
  });

  it('is found by its id in every form that the public server accepts (§4.6, D26)', async () => {
    const id = await rig.mustSubmit(['a.txt']);
    await rig.waitForStatus(id, 'succeeded');
    const plain = id.replaceAll('-', '');
    const forms = [plain, id.toUpperCase(), plain.toUpperCase(), `urn:uuid:${id}`, `URN:UUID:${id}`, `{${id}}`];
    for (const form of [...forms, `%7B${id}%7D`]) {
      assert.equal((await rig.status(form)).id, id, form);
      assert.equal((await rig.cancel(form)).status, 409, form);
    }
    for (const form of [`${plain}0`, `{${id}`, `urn:${id}`, `{${plain}}`, id.replace('-', ''), ` ${id}`]) {
      assert.equal((await rig.call('GET', `/api/v1/transfers/${encodeURIComponent(form)}`)).status, 422, form);
    }
  });

  it('returns 404 when unknown and 422 when the id is not a UUID (§4.6)', async () => {
    for (const method of ['GET', 'DELETE']) {
      assert.equal((await rig.call(method, `/api/v1/transfers/${unknownId}?orcid=x`)).status, 404);
      const response = await rig.call(method, '/api/v1/transfers/not-a-uuid?orcid=x');
      assert.equal(response.status, 422);
      assert.equal((response.body as ProblemDocument).errors?.[0]?.location, 'path.id');
    }
  });

  it('is found by its id in uppercase letters', async () => {
    const id = await rig.mustSubmit(['a.txt']);
    assert.equal((await rig.status(id.toUpperCase())).id, id);
    await rig.waitForStatus(id, 'succeeded');
  });

  it('cannot be canceled after it has succeeded, nor without an orcid (§4.7)', async () => {
    const id = await rig.mustSubmit(['a.txt']);
    await rig.waitForStatus(id, 'succeeded');
    assert.equal((await rig.cancel(id)).status, 409);
    assert.equal((await rig.call('DELETE', `/api/v1/transfers/${id}`)).status, 422);
    assert.equal((await rig.status(id)).status, 'succeeded');
  });

  it('is retained over a restart, and removed after the configured time (D25)', async () => {
    const id = await rig.mustSubmit(['a.txt']);
    const before = await rig.waitForStatus(id, 'succeeded');
    await rig.restart();
    assert.deepEqual(await rig.status(id), before);
    await rig.restart({ retentionDays: 0 });
    assert.equal((await rig.call('GET', `/api/v1/transfers/${id}`)).status, 404);
    await rig.restart();
    assert.equal((await rig.call('GET', `/api/v1/transfers/${id}`)).status, 404);
  });

  it('runs concurrently with many others, each to its own folder', async () => {
    const all = await Promise.all(Array.from({ length: 12 }, async () => await rig.mustSubmit(ids)));
    for (const id of all) {
      assert.equal((await rig.waitForStatus(id, 'succeeded', 'failed')).status, 'succeeded');
      assert.equal(await readTarget(id, 'sub/a.txt'), 'second');
    }
  });
});
