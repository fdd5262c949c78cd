import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as nodePath from 'node:path';
import { ServiceRig } from '../support/serviceRig.ts';

describe('A service whose journal is damaged (D25)', () => {
  let rig: ServiceRig;

  beforeEach(async () => {
    rig = await ServiceRig.start({ 'a.txt': 'a' });
    await rig.waitForStatus(await rig.mustSubmit(['a.txt']), 'succeeded');
  });
  afterEach(async () => await rig.stop());

  const damages: [what: string, damage: (file: string) => void][] = [
    ['has other content', (file) => fs.writeFileSync(file, 'garbage'.repeat(1_000))],
    ['is cut off', (file) => fs.truncateSync(file, fs.statSync(file).size / 2)],
  ];
  for (const [what, damage] of damages) {
    it(`does not start if the journal ${what}, leaves it unchanged, and says where it is`, async () => {
      const file = nodePath.join(rig.root, 'data', 'journal.db');
      let damaged: Buffer | undefined;
      const whileStopped = (): void => {
        damage(file);
        damaged = fs.readFileSync(file);
      };
      await assert.rejects(rig.restart({ whileStopped }), (error: Error) => {
        assert.ok(error.message.startsWith(`the journal of transfers ${file} is damaged (`), error.message);
        assert.match(error.message, /\)\. Move it to another folder to start without these transfers\.$/);
        return true;
      });
      assert.deepEqual(fs.readFileSync(file), damaged);
    });
  }
});
