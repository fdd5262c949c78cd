import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { ServiceRig } from '../support/serviceRig.ts';

/** Returns a long name like those that sequencers create. The names differ only at the end. */
function createName(number: number): string {
  return `northern-station-2025-summer-campaign-sediment-core-sample-${number}.fastq`;
}

describe('Files whose long names share a prefix (D24)', () => {
  const count = 600;
  const files = Object.fromEntries(
    Array.from({ length: count }, (_, number) => [createName(number), `reads ${number}`]),
  );
  let rig: ServiceRig;

  before(async () => (rig = await ServiceRig.start(files)));
  after(async () => await rig.stop());

  it('keep their own content when several are copied concurrently', async () => {
    const id = await rig.mustSubmit(Object.keys(files));
    const status = await rig.waitForStatus(id, 'succeeded', 'failed', 'inactive');
    assert.equal(status.message, `Transfer ${id}: completed successfully`);
    const folder = nodePath.join(rig.target, `dts-${id}`);
    for (const [name, content] of Object.entries(files)) {
      assert.equal(await fs.readFile(nodePath.join(folder, name), 'utf8'), content, name);
    }
    assert.equal((await fs.readdir(folder)).length, count + 1);
  });
});
