import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';
import { ServiceRig } from '../support/serviceRig.ts';

interface ByteStatus {
  readonly num_files_transferred: number;
  readonly num_bytes?: number;
  readonly num_bytes_staged?: number;
  readonly num_bytes_transferred?: number;
  readonly num_bytes_verified?: number;
}

const bytes = 4_000_000;

describe('The status of a transfer of one large file', () => {
  let rig: ServiceRig;

  before(async () => {
    const files = { 'large.bin': 'x'.repeat(bytes), 'small.txt': 'small' };
    rig = await ServiceRig.start(files, { throttleBytesPerSecond: 2_000_000 });
  });
  after(async () => await rig.stop());

  async function getStatus(id: string): Promise<ByteStatus> {
    return (await rig.call('GET', `/api/v1/transfers/${id}`)).body as ByteStatus;
  }

  it('counts the bytes inside the file, never down, until the transfer ends (D23)', async () => {
    const id = await rig.mustSubmit(['small.txt', 'large.bin']);
    const counts: (ByteStatus & { readonly copied: number })[] = [];
    await eventually(async () => {
      const status = await getStatus(id);
      if (status.num_bytes !== undefined) counts.push({ ...status, copied: status.num_bytes_transferred ?? -1 });
      return 'num_bytes' in status ? undefined : true;
    });
    assert.deepEqual(new Set(counts.map((status) => status.num_bytes)), new Set([bytes + 5]));
    const copied = counts.map((status) => status.copied);
    assert.deepEqual(
      copied,
      copied.toSorted((one, other) => one - other),
    );
    const inside = counts.find((one) => one.copied > 5 && one.copied < bytes);
    assert.ok(inside, `no count inside the file: ${copied.join(', ')}`);
    assert.deepEqual([inside.num_bytes_staged, inside.num_bytes_verified], [bytes + 5, 5]);
    assert.equal(inside.num_files_transferred, 1);
    const ended = await rig.waitForStatus(id, 'succeeded');
    assert.deepEqual(
      Object.keys(ended).filter((name) => name.startsWith('num_bytes')),
      [],
    );
  });

  it('counts only verified files again after the service has been restarted (D25)', async () => {
    const id = await rig.mustSubmit(['small.txt', 'large.bin']);
    await eventually(async () => ((await getStatus(id)).num_bytes_transferred ?? 0) > 1_000_000 || undefined);
    await rig.restart({ throttleBytesPerSecond: 1 });
    const { num_bytes_transferred: copied = 0 } = await eventually(async () => {
      const status = await getStatus(id);
      return status.num_bytes === undefined ? undefined : status;
    });
    const folder = join(rig.target, `dts-${id}`);
    const parts = (await readdir(folder)).filter((name) => name.includes('.part-'));
    const sizes = await Promise.all(parts.map(async (name) => (await stat(join(folder, name))).size));
    assert.ok(
      copied >= 5 && copied <= 5 + sizes.reduce((sum, size) => sum + size, 0),
      `${String(copied)} bytes of ${sizes.join(' + ')}`,
    );
  });
});
