import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { settlesWithin, type Clock } from '../../core/util/clock.ts';
import { createFolderSync } from '../../core/util/createFolder.ts';
import type { Disposable } from '../../core/util/lifetime.ts';
import type { Logger } from '../../core/util/logger.ts';
import { DatabaseUnavailableError, stoppingCause } from '../catalog/databaseUnavailableError.ts';
import { createStartError, openRclone, startRclone, waitForEnd, type RcloneChild } from './rcloneProgram.ts';
import { StoreClient, type RcloneAddress } from './storeClient.ts';

interface RcloneDaemonOptions {
  /** The configured path to rclone; if undefined, the service searches for it. */
  readonly rclone: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A folder for rclone's local files, emptied before rclone starts and removed after it stops. */
  readonly stagingFolder: string;
  /** Maximum number of bytes per second that all transfers together read from and write to stores. */
  readonly bytesPerSecond?: number | undefined;
}

interface RunningDaemon {
  readonly child: RcloneChild;
  readonly address: RcloneAddress;
}

const startLimitMs = 30_000;
const idleMs = 60_000;
const addressPattern = /Serving remote control on http:\/\/127\.0\.0\.1:(\d+)\//;

/** Requests that rclone must reject if they lack its password. Only the status of the response is read. */
const probes = [
  { method: 'GET', path: '/[:memory:]/probe' },
  { method: 'GET', path: '/*' },
  { method: 'POST', path: '/core/version' },
] as const;

/**
 * Runs one rclone process for all transfers to or from stores. The process starts on demand, listens on loopback, and
 * requires a new password each time. It exits after a period of inactivity or when the service exits (D62: stores
 * through rclone).
 */
export class RcloneDaemon {
  private readonly options: RcloneDaemonOptions;
  private running: Promise<RunningDaemon> | undefined;
  /** Resolves when the previous rclone process has exited and its staging folder has been removed. */
  private ending: Promise<void> = Promise.resolve();
  private uses = 0;
  private idle: Disposable | undefined;
  private isClosed = false;

  constructor(options: RcloneDaemonOptions) {
    this.options = options;
  }

  /** True if several calls of {@link use} are in progress. */
  get isShared(): boolean {
    return this.uses > 1;
  }

  /** Runs `work` with a running rclone. Throws {@link DatabaseUnavailableError} if rclone can't be started. */
  async use<T>(work: (address: RcloneAddress) => Promise<T>): Promise<T> {
    this.idle?.dispose();
    this.uses += 1;
    try {
      return await work((await this.ensureRunning()).address);
    } finally {
      this.uses -= 1;
      if (this.uses === 0 && !this.isClosed) this.idle = this.options.clock.after(idleMs, () => void this.stop());
    }
  }

  /** Stops rclone. Later calls to {@link use} reject. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.idle?.dispose();
    await this.stop();
  }

  /** Removes the staging folder with what killed processes left in it. Only logs failures. */
  removeStaging(): void {
    const remove = { recursive: true, force: true, maxRetries: 3 } as const;
    this.tryStaging('removed', () => rmSync(this.options.stagingFolder, remove));
  }

  /** Stops rclone if it is running. Never rejects. */
  private async stop(): Promise<void> {
    const { running } = this;
    this.running = undefined;
    if (running !== undefined) this.ending = this.end(running);
    await this.ending;
  }

  private async end(running: Promise<RunningDaemon>): Promise<void> {
    const daemon = await running.catch(() => undefined);
    if (daemon === undefined) return;
    const ended = waitForEnd(daemon.child);
    daemon.child.stdin.destroy();
    await ended;
    this.removeStaging();
  }

  private createStaging(): void {
    this.tryStaging('created', () => createFolderSync(this.options.stagingFolder, 0o700));
  }

  /** Creates or removes the staging folder. Only logs failures: files can be transferred one by one. */
  private tryStaging(action: string, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.options.logger.warn(`The staging folder could not be ${action}: ${String(error)}`);
    }
  }

  private async ensureRunning(): Promise<RunningDaemon> {
    if (this.isClosed) throw new DatabaseUnavailableError(stoppingCause);
    this.running ??= this.track(this.start());
    return await this.running;
  }

  /** Clears `running` when rclone exits or can't be started. Shuts down one without its guard process. */
  private track(running: Promise<RunningDaemon>): Promise<RunningDaemon> {
    const forget = (): void => {
      if (this.running === running) this.running = undefined;
    };
    const handleExit = (address: RcloneAddress, signal: NodeJS.Signals | null): void => {
      forget();
      if (signal !== null) void quit(address);
    };
    void running.then(({ child, address }) => child.once('exit', (_, signal) => handleExit(address, signal)), forget);
    return running;
  }

  private async start(): Promise<RunningDaemon> {
    const { rclone, stagingFolder, bytesPerSecond } = this.options;
    await this.ending;
    const { path } = await openRclone(rclone);
    this.removeStaging();
    this.createStaging();
    const [user, password] = [randomBytes(16).toString('hex'), randomBytes(32).toString('hex')];
    const child = startRclone(path, [...daemonArguments, ...limitBandwidth(bytesPerSecond)], {
      RCLONE_RC_USER: user,
      RCLONE_RC_PASS: password,
    });
    try {
      const port = await this.waitForPort(child);
      const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
      return { child, address: { port, authorization, stagingFolder, program: path } };
    } catch (error) {
      child.stdin.destroy();
      throw error;
    }
  }

  /** Waits until rclone responds, and returns its port. Checks that rclone rejects requests without its password. */
  private async waitForPort(child: RcloneChild): Promise<number> {
    const port = readPort(child);
    const whenReady = port.then(requirePassword);
    if (await settlesWithin(this.options.clock, startLimitMs, whenReady)) await whenReady;
    else throw createStartError();
    return await port;
  }
}

async function readPort(child: RcloneChild): Promise<number> {
  return await new Promise((resolve, reject) => {
    let text = '';
    child.stdout.resume();
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      // Ignores later output, which can contain addresses and names.
      if (text.length < 10_000) text += piece;
      const port = addressPattern.exec(text)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
    for (const event of ['exit', 'error']) child.once(event, () => reject(createStartError()));
  });
}

const daemonArguments = [
  'rcd',
  '--rc-serve',
  '--rc-addr=127.0.0.1:0',
  // The limits apply to whole requests, which last as long as it takes to move their files.
  '--rc-server-read-timeout=240h',
  '--rc-server-write-timeout=240h',
  '--rc-job-expire-duration=10s',
  '--buffer-size=4M',
  // Smaller files are uploaded in one piece, so that S3 computes an MD5 for them.
  '--streaming-upload-cutoff=8M',
] as const;

/** Shuts down an rclone process whose guard process was killed. Never rejects. */
async function quit(address: RcloneAddress): Promise<void> {
  const client = new StoreClient(address, 1);
  await client.call('core/quit', {}).catch(() => undefined);
  client.dispose();
}

function limitBandwidth(bytesPerSecond: number | undefined): string[] {
  return bytesPerSecond === undefined ? [] : [`--bwlimit=${Math.ceil(bytesPerSecond)}B`];
}

/** Throws if rclone accepts one of the {@link probes} without its password (CVE-2026-49980). */
async function requirePassword(port: number): Promise<void> {
  const client = new StoreClient({ port, authorization: 'Basic Og==', stagingFolder: '', program: '' }, 1);
  try {
    for (const { method, path } of probes) {
      const status = await client.probe(method, path);
      if (status !== 401) throw new DatabaseUnavailableError('this rclone answers requests without its password');
    }
  } finally {
    client.dispose();
  }
}
