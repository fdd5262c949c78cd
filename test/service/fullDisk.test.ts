import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { startLocalService, type StartedService } from '../support/localService.ts';
import { mountSmallDisk, type SmallDisk } from '../support/smallDisk.ts';
import { TransferClient } from '../support/transferClient.ts';

const megabyte = 1024 * 1024;
const quotaProgram = nodePath.join(import.meta.dirname, '../support/diskQuota.cjs');

/** A destination with room for about two megabytes. */
interface Destination {
  readonly folder: string;
  /** Environment variables that make the service simulate a full disk; empty for a real disk. */
  readonly environment: Readonly<Record<string, string>>;
  makeRoom(): Promise<void>;
  remove(): Promise<void>;
}

async function createDisk(disk: SmallDisk): Promise<Destination> {
  const filler = nodePath.join(disk.folder, 'filler.bin');
  await fs.writeFile(filler, Buffer.alloc(6 * megabyte));
  return {
    folder: disk.folder,
    environment: {},
    makeRoom: async () => await fs.rm(filler),
    remove: async () => await disk.remove(),
  };
}

async function createQuota(): Promise<Destination> {
  const folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-quota-'));
  return {
    folder,
    environment: {
      NODE_OPTIONS: `--require ${quotaProgram}`,
      QUOTA_FOLDER: folder,
      QUOTA_BYTES: String(2 * megabyte),
    },
    makeRoom: async () => await fs.writeFile(`${folder}-room`, ''),
    remove: async () => {
      await fs.rm(folder, { recursive: true });
      await fs.rm(`${folder}-room`, { force: true });
    },
  };
}

/** Ways to create a full destination. Mounting a disk needs root privileges, which aren't always available. */
const kinds: readonly (readonly [kind: string, make: () => Promise<Destination>])[] = [
  ['a quota', createQuota],
  [
    'a small disk, or a quota where none can be mounted',
    async () => {
      const disk = await mountSmallDisk(8);
      return disk === undefined ? await createQuota() : await createDisk(disk);
    },
  ],
];

for (const [kind, make] of kinds) {
  describe(`A full destination, by ${kind} (D23)`, () => {
    let destination: Destination;
    let source: string;
    let service: StartedService;
    let client: TransferClient;

    beforeEach(async () => {
      destination = await make();
      source = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-source-'));
      for (const index of [0, 1, 2]) {
        await fs.writeFile(nodePath.join(source, `${index}.bin`), Buffer.alloc(megabyte, `${index}`));
      }
      const databases = [
        { name: 'Source', folder: source },
        { name: 'Target', folder: destination.folder },
      ];
      service = await startLocalService({ databases }, { environment: destination.environment });
      client = new TransferClient(service);
    });

    afterEach(async () => {
      await service.stop();
      await destination.remove();
      await fs.rm(source, { recursive: true });
    });

    async function listTarget(id: string): Promise<string[]> {
      return (await fs.readdir(nodePath.join(destination.folder, `dts-${id}`))).sort();
    }

    it('suspends a transfer without unfinished files, and resumes it when there is space', async () => {
      const id = await client.submit(['0.bin', '1.bin', '2.bin']);
      const full = await client.waitForStatus(id, 'inactive', 'failed', 'succeeded');
      assert.deepEqual([full.status, full.message], ['inactive', `Transfer ${id}: waiting: the destination is full`]);
      const names = await listTarget(id);
      assert.equal(names.length, full.num_files_transferred);
      assert.ok(names.length < 3 && names.every((name) => /^\d\.bin$/.test(name)), names.join());
      await destination.makeRoom();
      const ended = await client.waitForStatus(id, 'succeeded', 'failed');
      assert.deepEqual([ended.status, ended.num_files_transferred], ['succeeded', 3]);
      assert.deepEqual(await listTarget(id), ['0.bin', '1.bin', '2.bin', 'manifest.json']);
      for (const index of [0, 1, 2]) {
        const content = await fs.readFile(nodePath.join(destination.folder, `dts-${id}`, `${index}.bin`));
        assert.ok(content.equals(Buffer.alloc(megabyte, `${index}`)));
      }
    });
  });
}
