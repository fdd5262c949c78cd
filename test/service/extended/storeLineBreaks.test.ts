import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { StoreRig } from '../../support/storeRig.ts';

const files = { 'a.txt': 'a', 'new\nline.txt': 'b', 'sub\n/c.txt': 'c', 'large\n.bin': Buffer.alloc(2_000_000, 'x') };

describe('Objects with line breaks in their names (D62)', () => {
  let rig: StoreRig;

  before(async () => {
    rig = await StoreRig.start(['s3'], { s3: files });
    await rig.waitForListing('s3');
  });
  after(async () => await rig.stop());

  // rclone lists a line break as the character U+240A (symbol for line feed).
  const listed = Object.entries(files).map(([path, content]) => [path.replaceAll('\n', '\u240A'), content] as const);

  it('are transferred like others', async () => {
    const found = await rig.find('s3');
    assert.deepEqual(found.map(({ path }) => path).sort(), listed.map(([path]) => path).sort());
    const status = await rig.transfer(
      's3',
      'folder',
      found.map(({ id }) => id),
    );
    assert.equal(status.message, `Transfer ${status.id}: completed successfully, verified by md5`);
    for (const [path, content] of listed) {
      const file = nodePath.join(rig.folder, `dts-${status.id}`, path);
      assert.deepEqual(await fs.readFile(file), Buffer.from(content), path);
    }
    assert.deepEqual(await fs.readdir(nodePath.join(rig.data, 'staging')), []);
  });
});
