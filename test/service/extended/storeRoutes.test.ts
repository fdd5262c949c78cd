import assert from 'node:assert/strict';
import {
  contents,
  describePromises,
  farTimes,
  itKeepsTimes,
  itSatisfiesPrograms,
  large,
  timed,
  times,
  type TimeRoute,
} from '../../support/routePromises.ts';
import type { PlaceKind } from '../../support/placeKinds.ts';
import { RouteRig } from '../../support/routeRig.ts';

const routes: readonly (readonly [from: PlaceKind, to: PlaceKind])[] = [
  ['folder', 's3'],
  ['dav', 'folder'],
  ['dav', 's3'],
];

const timeRoutes: readonly TimeRoute[] = [
  ['folder', 's3', 1, true],
  ['folder', 'sftp', 1_000, false],
  ['dav', 'folder', 1_000, false],
  ['sftp', 'folder', 1_000, false],
  ['s3', 'folder', 1, true],
  ['dav', 's3', 1_000, false],
  ['s3', 'sftp', 1_000, false],
];

describe('Every route to or from a store (D24, D62)', () => {
  let rig: RouteRig;
  before(async () => {
    rig = await RouteRig.start(['folder', 'dav', 's3', 'sftp']);
  });
  after(async () => await rig.stop());

  for (const [from, to] of routes) describePromises(() => rig, from, to);
  for (const route of timeRoutes) itKeepsTimes(() => rig, route);
  itSatisfiesPrograms(() => rig, 'sftp');

  it('leaves the times that an SFTP server could only store wrongly', async () => {
    const transfer = await rig.createTransfer('folder', 'sftp');
    const startMs = Date.now();
    const files = await transfer.stage({ ...contents, 'past.txt': 'old', 'future.txt': large }, farTimes);
    assert.equal((await transfer.move(files)).failure, undefined);
    for (const path of Object.keys(farTimes)) {
      const actual = Date.parse(await transfer.destination.getModified(`${transfer.folderName}/${path}`));
      assert.ok(actual >= startMs - 1_000 && actual <= Date.now(), `${path}: ${new Date(actual).toISOString()}`);
    }
  });

  it('transfers files to a store that keeps no times', async () => {
    const transfer = await rig.createTransfer('folder', 'dav');
    const files = await transfer.stage(timed, times);
    assert.equal((await transfer.move(files)).failure, undefined);
    assert.deepEqual(await transfer.readMoved(), timed);
  });
});
