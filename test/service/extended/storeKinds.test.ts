import { execFileSync } from 'node:child_process';
import { KindReport } from '../../support/kindReport.ts';
import { kindCases } from '../../support/kindCases.ts';
import { KindRig } from '../../support/kindRig.ts';
import { canOpen, comparedKinds } from '../../support/placeKinds.ts';
import { describeWithEachRclone } from '../../support/rclones.ts';
import { mustFindRclone } from '../../support/storeServers.ts';

const kinds = comparedKinds.filter(canOpen);

describeWithEachRclone('Every kind of place (D24, D62)', () => {
  const report = new KindReport();
  let rig: KindRig;
  before(async () => {
    report.version = String(execFileSync(mustFindRclone(), ['version'])).split('\n')[0] ?? '';
    rig = await KindRig.start(kinds);
  });
  after(async () => {
    report.print();
    await rig.stop();
  });

  for (const kind of comparedKinds.filter((one) => !canOpen(one)))
    report.leaveOut(kind, 'all cases', 'the tests start its server only on Linux');
  for (const kind of kinds)
    describe(kind, () => {
      report.count(kind);
      for (const { title, cannot, check } of kindCases) {
        const reason = cannot?.(kind);
        if (typeof reason === 'string') report.leaveOut(kind, title, reason);
        else it(title, async () => await check(rig, kind));
      }
    });
});
