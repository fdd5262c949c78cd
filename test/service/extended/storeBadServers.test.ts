import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { foreignAnswerCause } from '../../../src/core/util/remote.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { pages, PageServer } from '../../support/pageServer.ts';
import { describeWithEachRclone } from '../../support/rclones.ts';
import { ServiceRig } from '../../support/serviceRig.ts';

interface Listing {
  readonly state: string;
  readonly files: number;
  readonly problem?: string;
}

describeWithEachRclone('A store whose server sends a page instead of an answer (D62)', () => {
  const config = process.env['RCLONE_CONFIG'];
  let root: string;
  let clock: ManualClock;
  let rig: ServiceRig;
  let server: PageServer;

  before(async () => {
    root = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-pages-'));
    server = await PageServer.start({ 'a.txt': 'abc', 'b.txt': 'abcd' });
    process.env['RCLONE_CONFIG'] = nodePath.join(root, 'rclone.conf');
    await fs.writeFile(process.env['RCLONE_CONFIG'], server.sections);
    clock = new ManualClock();
    rig = await ServiceRig.start({}, { shared: true, clock });
    await rig.lease([{ name: 'dav', remote: 'dav:' }, { name: 's3', remote: 's3:lab' }, ...rig.folders]);
    for (const name of ['dav', 's3']) assert.equal((await scan(name)).state, 'listed');
  });
  after(async () => {
    await rig.stop();
    server.stop();
    if (config === undefined) delete process.env['RCLONE_CONFIG'];
    else process.env['RCLONE_CONFIG'] = config;
    await fs.rm(root, { recursive: true });
  });

  async function scan(name: string): Promise<Listing> {
    await rig.call('POST', `/databases/${name}/scans`);
    return await eventually(async () => {
      const { listing } = (await rig.call('GET', `/api/v1/databases/${name}`)).body as { listing: Listing };
      return listing.state === 'scanning' ? undefined : listing;
    });
  }

  for (const [name, cause] of [
    ['xhtml', foreignAnswerCause],
    ['redirect', foreignAnswerCause],
    ['json', foreignAnswerCause],
    ['html', foreignAnswerCause],
    ['busy', 'its server is limiting the request rate'],
  ] as const)
    it(`keeps the files of the last scan, and is listed again after it: ${name}`, async () => {
      for (const kind of ['dav', 's3']) {
        server.page = pages[name];
        const { state, files, problem } = await scan(kind);
        assert.deepEqual([kind, state, files, problem], [kind, 'failed', 2, cause]);
        server.page = undefined;
        assert.equal((await scan(kind)).state, 'listed');
      }
    });

  afterEach(() => (server.page = undefined));

  it('may really have fewer files, or none', async () => {
    const objects = [...server.objects];
    for (const [path] of objects) {
      server.objects.delete(path);
      for (const kind of ['dav', 's3']) {
        const { state, files } = await scan(kind);
        assert.deepEqual([kind, state, files], [kind, 'listed', server.objects.size]);
      }
    }
    for (const [path, text] of objects) server.objects.set(path, text);
    for (const kind of ['dav', 's3']) assert.equal((await scan(kind)).files, 2);
  });

  for (const kind of ['dav', 's3'])
    it(`suspends a transfer until it answers again, for ${kind}`, async () => {
      server.page = pages.xhtml;
      const id = await rig.mustRequestTransfer({ source: kind, destination: 'Target', file_ids: ['a.txt', 'b.txt'] });
      const { message } = await rig.waitForStatus(id, 'inactive', 'failed', 'succeeded');
      assert.equal(message, `Transfer ${id}: waiting: the source can't be used: ${foreignAnswerCause}`);
      server.page = undefined;
      await clock.pass(30_000);
      const { status, message: end } = await rig.waitForStatus(id, 'failed', 'succeeded');
      assert.equal(status, 'succeeded', end);
    });
});
