import { execFileSync } from 'node:child_process';
import { KindReport } from '../../support/kindReport.ts';
import { kindCases } from '../../support/kindCases.ts';
import { KindRig } from '../../support/kindRig.ts';
import { comparedKinds, findObstacle } from '../../support/placeKinds.ts';
import { describeWithEachRclone } from '../../support/rclones.ts';
import { mustFindRclone } from '../../support/storeServers.ts';
import { isDeep } from '../../support/testSize.ts';

describeWithEachRclone('Every kind of place (D24, D62)', () => {
  const report = new KindReport();
  before(() => {
    report.version = String(execFileSync(mustFindRclone(), ['version'])).split('\n')[0] ?? '';
  });
  after(() => report.print());

  for (const kind of comparedKinds) {
    const obstacle = findObstacle(kind);
    if (obstacle !== undefined) {
      report.leaveOut(kind, 'all cases', obstacle);
      continue;
    }
    describe(kind, () => {
      let rig: KindRig;
      before(async () => {
        rig = await KindRig.start(kind);
      });
      after(async () => await rig.stop());

      report.count(kind);
      for (const { title, isRare, cannot, check } of kindCases) {
        const reason = isRare === true && !isDeep ? 'the deep run proves it' : cannot?.(kind);
        if (reason === undefined) it(title, async () => await check(rig));
        else report.leaveOut(kind, title, reason);
      }
    });
  }
});
