import assert from 'node:assert/strict';
import { TransferFailure } from '../../../src/service/transfers/transferErrors.ts';
import { RouteRig, type RoutedTransfer } from '../../support/routeRig.ts';

const contents = { 'a.txt': 'alpha', 'sub/b.txt': 'beta' };
const taken = new TransferFailure('could not write run 42: it already exists at the destination');

describe('A folder in a store whose name was chosen (D24)', () => {
  let rig: RouteRig;
  before(async () => {
    rig = await RouteRig.start(['folder', 'dav', 's3', 'sftp']);
  });
  after(async () => await rig.stop());

  for (const kind of ['dav', 's3', 'sftp'] as const) {
    const create = async (): Promise<RoutedTransfer> => await rig.createTransfer('folder', kind, 'run 42');

    it(`has the files, and its mark until the manifest is there (${kind})`, async () => {
      const transfer = await create();
      const files = await transfer.stage(contents);
      assert.equal((await transfer.move(files)).failure, undefined);
      assert.deepEqual(await transfer.readMoved(), { ...contents, [`.part-${transfer.id}`]: transfer.id });
      await transfer.route.prepare();
      assert.deepEqual(await transfer.findLost(files), []);
      assert.equal(await transfer.finish(files), true);
      assert.deepEqual(await transfer.readMoved(), contents);
      assert.match((await transfer.readManifest()) ?? '', /"folder": "run 42"/);
      await transfer.route.prepare();
      assert.equal(await transfer.finish(files), true);
      assert.deepEqual(await transfer.readMoved(), contents);
    });

    it(`is refused to every other transfer, which leaves it as it is (${kind})`, async () => {
      const transfer = await create();
      const rival = rig.createRival(transfer, 'run 42');
      const files = await transfer.stage(contents);
      await transfer.route.prepare();
      await assert.rejects(rival.route.prepare(), taken);
      await rival.route.discard('manifest.json');
      assert.deepEqual(await transfer.readMoved(), { [`.part-${transfer.id}`]: transfer.id });
      await transfer.move(files);
      await transfer.finish(files);
      await assert.rejects(rival.route.prepare(), taken);
      await rival.route.discard('manifest.json');
      assert.deepEqual(await transfer.readMoved(), contents);
      assert.notEqual(await transfer.readManifest(), undefined);
    });

    it(`loses the manifest of a canceled transfer, even if the mark is gone, but no complete file (${kind})`, async () => {
      const transfer = await create();
      const files = await transfer.stage({ 'a.txt': 'alpha' });
      await transfer.move(files);
      await transfer.finish(files);
      await transfer.destination.write({ [`run 42/b.txt.0123abcd.part-${transfer.id}`]: 'half' });
      for (const attempt of ['first', 'second']) {
        await transfer.route.discard('manifest.json');
        const remaining = [await transfer.readMoved(), await transfer.readManifest()];
        assert.deepEqual(remaining, [{ 'a.txt': 'alpha' }, undefined], attempt);
      }
    });

    it(`is refused if an object has the name (${kind})`, async () => {
      const transfer = await create();
      await transfer.destination.write({ 'run 42': 'theirs' });
      await assert.rejects(transfer.route.prepare(), taken);
      await transfer.route.discard('manifest.json');
      assert.deepEqual(await transfer.destination.read(), { 'run 42': 'theirs' });
    });

    it(`belongs to at most one of two transfers at a time (${kind})`, async () => {
      const transfer = await create();
      const rivals = [transfer, rig.createRival(transfer, 'run 42')];
      const claims = await Promise.allSettled(rivals.map(async ({ route }) => await route.prepare()));
      assert.ok(claims.filter(({ status }) => status === 'fulfilled').length <= 1);
      for (const { route } of rivals) await route.discard('manifest.json');
      assert.deepEqual(await transfer.destination.read(), {});
    });
  }
});
