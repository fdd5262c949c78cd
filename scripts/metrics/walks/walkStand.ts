import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Explorer } from '../../../src/core/explorer.ts';
import type { OpenConnection } from '../../../src/core/connections/openConnections.ts';
import type { FileEntry } from '../../../src/core/model/fileEntry.ts';
import type { Transfer } from '../../../src/core/model/transferModel.ts';
import { systemClock } from '../../../src/core/util/clock.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { createExplorerDependencies, orcid } from '../../../test/support/explorerDependencies.ts';
import { startLocalService, type StartedService } from '../../../test/support/localService.ts';
import { MemoryLog } from '../../../test/support/memoryLog.ts';

const source = 'Source Data';
const destination = 'Target';
const smallFile = 'a.txt';
/** Takes the service many minutes at the speed limit, so that a transfer of it is running while it is polled. */
const largeFile = 'large.bin';
const largeBytes = 100_000_000;
const bytesPerSecond = 100_000;
const neverMs = 24 * 3_600_000;

/** A real local service in a separate process, and the core of a window that is connected to it. */
export class WalkStand {
  private readonly folder: string;
  private readonly service: StartedService;
  private readonly explorer: Explorer;
  private readonly connection: OpenConnection;

  private constructor(folder: string, service: StartedService, explorer: Explorer, connection: OpenConnection) {
    this.folder = folder;
    this.service = service;
    this.explorer = explorer;
    this.connection = connection;
  }

  static async start(): Promise<WalkStand> {
    const folder = await mkdtemp(join(tmpdir(), 'walks-'));
    const service = await startService(folder);
    const explorer = createExplorer(join(folder, 'ledger'));
    await explorer.transferFlow.resume();
    await explorer.transferFlow.loadFinished();
    const target = { id: 'walks', name: 'Walks', server: service.address, transport: 'direct' } as const;
    const { session } = await explorer.connectFlow.open(target, service.token);
    if (!session) throw new Error(`The local service can't be reached: ${service.log()}`);
    return new WalkStand(folder, service, explorer, session);
  }

  /** The WebSocket address of the service's inspector. */
  get inspector(): string {
    return /ws:\/\/\S+/.exec(this.service.log())?.[0] ?? '';
  }

  /** Searches for a file by its name. */
  async search(query = smallFile): Promise<FileEntry> {
    const { searchFlow, searchStore } = this.explorer;
    const key = await searchFlow.run(this.connection, { database: source, query, pageSize: 100 });
    const { files = [], reason } = searchStore.get(key) ?? {};
    const [file] = files;
    if (file?.kind !== 'file') throw new Error(`The search found no file. ${JSON.stringify(reason)}`);
    return file;
  }

  /** Submits a transfer of the large file. Resolves when the transfer's first status is stored. */
  async submit(): Promise<Transfer> {
    const order = { connectionId: this.connection.connection.id, orcid, source, destination };
    const files = [{ id: largeFile, name: largeFile, sizeBytes: largeBytes }];
    const { key } = await this.explorer.transferFlow.submit({ ...order, files });
    return await this.waitForStatus(key, ({ askedAt }) => askedAt !== undefined);
  }

  /** Starts a transfer of the large file. Resolves to a function that polls it once. */
  async preparePoll(): Promise<() => Promise<unknown>> {
    const { key } = await this.submit();
    const poll = async (): Promise<Transfer> => {
      const polledAt = this.explorer.transferStore.get(key)?.askedAt;
      this.explorer.monitor.pollNow(key);
      return await this.waitForStatus(key, ({ askedAt }) => askedAt !== polledAt);
    };
    await eventually(async () => ((await poll()).state === 'active' ? true : undefined));
    return poll;
  }

  /** Transfers the small file with requests of its own. Resolves when the file and its manifest are at the destination. */
  async move(): Promise<void> {
    const response = await fetch(`${this.service.address}/api/v1/transfers`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.service.token}`,
        connection: 'close',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ source, destination, orcid, file_ids: [smallFile] }),
    });
    const { id } = (await response.json()) as { readonly id: string };
    const manifest = join(this.folder, 'target', `dts-${id}`, 'manifest.json');
    await eventually(() => Promise.resolve(existsSync(manifest) ? true : undefined));
  }

  /** Runs the command line's search from its sources. V8 writes the coverage to `coverageFolder`. */
  async runSearchCommand(root: string, coverageFolder: string): Promise<void> {
    const connection = ['--server', this.service.address, '--orcid', orcid, '--key-variable', 'WALK_KEY'];
    const program = join(root, 'src', 'cli', 'main.ts');
    const environment = {
      WALK_KEY: this.service.token,
      DATA_TRANSFER_LEDGER: join(this.folder, 'command-ledger'),
      NODE_V8_COVERAGE: coverageFolder,
    };
    const child = spawn(process.execPath, [program, 'search', source, smallFile, ...connection], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`The command line's search exited with code ${String(code)}.`);
  }

  async stop(): Promise<void> {
    this.explorer.dispose();
    await this.service.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async waitForStatus(key: string, isStored: (transfer: Transfer) => boolean): Promise<Transfer> {
    return await eventually(() => {
      const transfer = this.explorer.transferStore.get(key);
      return Promise.resolve(transfer && isStored(transfer) ? transfer : undefined);
    });
  }
}

async function startService(folder: string): Promise<StartedService> {
  const [from, to] = [join(folder, 'source'), join(folder, 'target')];
  await mkdir(from);
  await mkdir(to);
  await writeFile(join(from, smallFile), 'content');
  await writeFile(join(from, largeFile), '');
  await truncate(join(from, largeFile), largeBytes);
  const databases = [
    { name: source, folder: from },
    { name: destination, folder: to },
  ];
  const config = { databases, dataFolder: join(folder, 'service'), throttleBytesPerSecond: bytesPerSecond };
  return await startLocalService(config, { environment: { NODE_OPTIONS: '--inspect=127.0.0.1:0' } });
}

/** Creates a core that polls a transfer once and then only on request, so that a walk contains one poll. */
function createExplorer(ledgerFolder: string): Explorer {
  const log = new MemoryLog();
  return new Explorer({
    ...createExplorerDependencies({ log, clock: systemClock, ledgerFolder }),
    getMinIntervalMs: () => neverMs,
  });
}
