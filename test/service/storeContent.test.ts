import assert from 'node:assert/strict';
import { systemClock } from '../../src/core/util/clock.ts';
import { maxContentBytes } from '../../src/core/util/fileContent.ts';
import { ContentReader } from '../../src/service/content/contentReader.ts';
import type { ContentRequest } from '../../src/service/content/folderContent.ts';
import type { RcloneDaemon } from '../../src/service/stores/rcloneDaemon.ts';
import { ContentRig } from '../support/contentRig.ts';
import { listRclones } from '../support/processTree.ts';
import { describeWithEachRclone } from '../support/rclones.ts';
import type { StoreKind } from '../support/storeServers.ts';

const kinds = ['sftp', 'dav', 's3'] as const satisfies readonly StoreKind[];
const whole: ContentRequest = { range: { from: 0 } };
const name = 'runs/a #1 ä.csv';

describeWithEachRclone('The content of an object in a store (D62)', () => {
  let rig: ContentRig;
  before(async () => {
    rig = await ContentRig.start(kinds);
    for (const kind of kinds) {
      const large = Buffer.alloc(maxContentBytes + 10, 'x');
      await rig.servers.write(kind, { [name]: 'id,name\n1,x\n', 'empty.txt': '', 'large.bin': large });
    }
  });
  after(async () => await rig.stop());

  for (const kind of kinds) {
    async function read(path: string, request = whole) {
      const { content, ...rest } = await rig.reader.read({ remote: rig.servers.remote(kind) }, path, request);
      return { ...rest, text: content && Buffer.from(content).toString() };
    }

    it(`is read in ranges from ${kind}`, async () => {
      for (const [range, text] of [
        [{ from: 0, last: 1 }, 'id'],
        [{ from: 8, last: 1000 }, '1,x\n'],
        [{ suffix: 2 }, 'x\n'],
      ] as const) {
        const part = await read(name, { range });
        assert.deepEqual([part.text, part.totalBytes], [text, 12]);
      }
      const large = await read('large.bin', { range: { from: 3 } });
      assert.deepEqual([large.text?.length, large.totalBytes], [maxContentBytes, maxContentBytes + 10]);
    });

    it(`is outside of a range beyond the end from ${kind}, and of any of an empty object`, async () => {
      assert.equal((await read(name, { range: { from: 12 } })).refusal, 'outside');
      assert.equal((await read('empty.txt')).refusal, 'outside');
    });

    it(`isn't read from ${kind} if the object is another one, or gone`, async () => {
      const { entityTag } = await read(name);
      assert.equal((await read(name, { ...whole, ifMatch: entityTag })).text?.length, 12);
      assert.equal((await read(name, { ...whole, ifMatch: '"13-1"' })).refusal, 'changed');
      await assert.rejects(read('gone.txt'), { status: 404, message: "The file can't be read: it no longer exists." });
    });
  }

  it('has another entity tag once the object has changed', async () => {
    const location = { remote: rig.servers.remote('s3') };
    await rig.servers.write('s3', { 'new.txt': 'old' });
    const { entityTag } = await rig.reader.read(location, 'new.txt', whole);
    await rig.servers.write('s3', { 'new.txt': 'other' });
    const { refusal } = await rig.reader.read(location, 'new.txt', { ...whole, ifMatch: entityTag });
    assert.equal(refusal, 'changed');
  });

  it('is read by one rclone, however many requests there are', async () => {
    const remotes = [...kinds, ...kinds, ...kinds].map((kind) => rig.servers.remote(kind));
    await Promise.all(remotes.map(async (remote) => await rig.reader.read({ remote }, name, whole)));
    const daemons = listRclones(process.pid).filter(({ command }) => command.includes(' rcd '));
    assert.equal(daemons.length, 1);
  });

  it('is given up if the store does not respond in time, and so are requests that wait for it', async () => {
    const silent = { use: async () => await new Promise<never>(() => undefined) } as unknown as RcloneDaemon;
    const impatient = new ContentReader(silent, systemClock, 20);
    const requests = [1, 2, 3].map(async () => await impatient.read({ remote: 'sftp:' }, name, whole));
    for (const request of requests)
      await assert.rejects(request, { status: 409, message: "The file can't be read: its server doesn't respond." });
    await impatient.close();
  });
});
