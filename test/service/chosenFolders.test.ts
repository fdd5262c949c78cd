import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import type { ProblemDocument } from '../../src/contract/contract.ts';
import { eventually } from '../support/eventually.ts';
import { ServiceRig } from '../support/serviceRig.ts';

const slow = { throttleBytesPerSecond: 100_000 };

describe("A transfer whose folder's name was chosen (D24)", () => {
  let rig: ServiceRig;

  beforeEach(async () => {
    rig = await ServiceRig.start({ 'a.txt': 'a', 'sub/b.txt': 'b', 'large.txt': 'a'.repeat(1_000_000) });
  });
  afterEach(async () => await rig.stop());

  const into = (folder: unknown): object => ({ instructions: { folder } });

  async function assertConflict(name: string, reason: string): Promise<void> {
    const { status, body } = await rig.submit(['a.txt'], into(name));
    const message = `The folder "${name}" ${reason}. Choose another name.`;
    const { detail, errors } = body as ProblemDocument;
    assert.deepEqual([status, detail], [409, message]);
    assert.deepEqual(errors, [{ message, location: 'body.instructions.folder' }]);
  }

  it('is announced by the service, and has its files and manifest in that folder', async () => {
    const { features } = (await rig.call('GET', '/')).body as { features: readonly string[] };
    assert.ok(features.includes('instructions.folder'), features.join());
    const id = await rig.mustSubmit(['a.txt', 'sub/b.txt'], into('run-42'));
    const status = await rig.waitForStatus(id, 'succeeded', 'failed');
    assert.deepEqual([status.status, (status as { folder?: string }).folder], ['succeeded', 'run-42']);
    assert.deepEqual(await rig.listReceivedFiles(), ['run-42/a.txt', 'run-42/manifest.json', 'run-42/sub/b.txt']);
    const manifest: unknown = JSON.parse(await fs.readFile(nodePath.join(rig.target, 'run-42/manifest.json'), 'utf8'));
    const { id: manifestId, folder } = manifest as Record<string, unknown>;
    assert.deepEqual([manifestId, folder], [id, 'run-42']);
  });

  it('is described by its manifest when the destination is searched (D20)', async () => {
    await rig.write({ 'datapackage.json': JSON.stringify({ resources: [{ path: 'a.txt', title: 'The letter a' }] }) });
    await rig.restart();
    const id = await rig.mustSubmit(['a.txt'], into('run-42'));
    await rig.waitForStatus(id, 'succeeded');
    const [file] = await rig.search('Target', 'path:"run-42/a.txt"');
    assert.equal((file as { title?: string } | undefined)?.title, 'The letter a');
  });

  for (const name of ['a/b', '..', '.hidden', 'dts-1', 'nul', 'x.', 'x ', 'x'.repeat(255), 7, {}])
    it(`is refused for the name ${JSON.stringify(name)}`, async () => {
      const { status, body } = await rig.submit(['a.txt'], into(name));
      assert.equal(status, 422);
      const [problem] = (body as ProblemDocument).errors ?? [];
      assert.equal(problem?.location, 'body.instructions.folder');
      assert.match(problem.message ?? '', /^instructions\.folder must be one plain name of at most 80 letters/);
      assert.deepEqual(await fs.readdir(rig.target), []);
    });

  const occupants: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
    folder: async (path) => await fs.mkdir(path),
    file: async (path) => await fs.writeFile(path, 'theirs'),
    'link to nothing': async (path) => await fs.symlink('nowhere', path),
  };
  for (const [what, create] of Object.entries(occupants)) {
    it(`is refused if the destination has a ${what} with that name`, async () => {
      await create(nodePath.join(rig.target, 'run-42'));
      await assertConflict('run-42', 'already exists at the destination');
      assert.deepEqual(await fs.readdir(rig.target), ['run-42']);
    });

    it(`fails without touching a ${what} that gets the name before the first write`, async () => {
      await rig.restart(slow);
      const others = [0, 1, 2].map(async () => await rig.mustSubmit(['large.txt']));
      for (const other of await Promise.all(others)) await rig.waitForStatus(other, 'active');
      const id = await rig.mustSubmit(['a.txt'], into('run-42'));
      await create(nodePath.join(rig.target, 'run-42'));
      const before = await fs.lstat(nodePath.join(rig.target, 'run-42'), { bigint: true });
      await rig.restart();
      const { message } = await rig.waitForStatus(id, 'succeeded', 'failed');
      assert.equal(message, `Transfer ${id}: failed (could not write run-42: it already exists at the destination)`);
      const after = await fs.lstat(nodePath.join(rig.target, 'run-42'), { bigint: true });
      assert.deepEqual([after.ino, after.mtimeNs], [before.ino, before.mtimeNs]);
      assert.deepEqual(
        (await fs.readdir(rig.target)).filter((name) => name.includes('.part-')),
        [],
      );
    });
  }

  it('shares its name with no other unfinished transfer, in any case, also after a restart', async () => {
    await rig.restart(slow);
    const answers = await Promise.all(
      ['run-42', 'RUN-42'].map(async (name) => await rig.submit(['large.txt'], into(name))),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409]);
    await rig.restart(slow);
    await assertConflict('Run-42', 'belongs to a transfer that is not finished');
    const { id } = answers.find(({ status }) => status === 201)?.body as { id: string };
    await rig.cancel(id);
    await rig.waitForStatus(id, 'failed');
    assert.deepEqual(await fs.readdir(rig.target), []);
    // Until its unfinished files are removed, the canceled transfer keeps the name.
    const again = await eventually(async () => {
      const { status, body } = await rig.submit(['a.txt'], into('run-42'));
      return status === 201 ? (body as { id: string }).id : undefined;
    });
    await rig.waitForStatus(again, 'succeeded');
  });

  it('is not started twice under one name, however many submissions arrive at the same time', async () => {
    const names = Array.from({ length: 8 }, () => 'run-42');
    const answers = await Promise.all(names.map(async (name) => await rig.submit(['a.txt', 'sub/b.txt'], into(name))));
    const accepted = answers.flatMap(({ status, body }) => (status === 201 ? [(body as { id: string }).id] : []));
    assert.deepEqual([accepted.length, answers.filter(({ status }) => status === 409).length], [1, 7]);
    await rig.waitForStatus(accepted[0] ?? '', 'succeeded');
    assert.deepEqual(await rig.listReceivedFiles(), ['run-42/a.txt', 'run-42/manifest.json', 'run-42/sub/b.txt']);
  });

  it('keeps its complete files after a cancellation, so that its name is not free', async () => {
    await rig.restart(slow);
    const id = await rig.mustSubmit(['a.txt', 'large.txt'], into('run-42'));
    await eventually(async () => ((await rig.listReceivedFiles()).includes('run-42/a.txt') ? true : undefined));
    await rig.cancel(id);
    await rig.waitForStatus(id, 'failed');
    assert.deepEqual(await rig.listReceivedFiles(), ['run-42/a.txt']);
    await eventually(async () => {
      const { body } = await rig.submit(['a.txt'], into('run-42'));
      return JSON.stringify(body).includes('already exists at the destination') ? true : undefined;
    });
  });

  it('is created behind a link to the destination, as long as the link leads to the same folder', async () => {
    const [real, other] = ['real', 'other'].map((name) => nodePath.join(rig.root, name)) as [string, string];
    const lead = async (folder: string): Promise<void> => {
      await fs.mkdir(folder, { recursive: true });
      await fs.rm(rig.target, { recursive: true });
      await fs.symlink(folder, rig.target);
    };
    await lead(real);
    await rig.restart({ throttleBytesPerSecond: 250_000, retryDelayMs: 100 });
    const id = await rig.mustSubmit(['a.txt'], into('run-42'));
    await rig.waitForStatus(id, 'succeeded');
    assert.deepEqual((await fs.readdir(nodePath.join(real, 'run-42'))).sort(), ['a.txt', 'manifest.json']);
    const moved = await rig.mustSubmit(['large.txt'], into('run-43'));
    await rig.waitForStatus(moved, 'active');
    await lead(other);
    assert.equal((await rig.waitForStatus(moved, 'succeeded', 'failed')).status, 'failed');
    assert.deepEqual(await fs.readdir(other), []);
  });

  it('shows its mark until it is complete', async () => {
    await rig.restart(slow);
    const id = await rig.mustSubmit(['large.txt'], into('run-42'));
    await rig.waitForStatus(id, 'active');
    const mark = nodePath.join(rig.target, 'run-42', `.part-${id}`);
    await eventually(async () => await fs.lstat(mark).catch(() => undefined));
    await rig.restart();
    await rig.waitForStatus(id, 'succeeded');
    assert.deepEqual(await rig.listReceivedFiles(), ['run-42/large.txt', 'run-42/manifest.json']);
  });
});
