import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Emitter } from '../core/util/emitter.ts';
import { isJsonObject } from '../core/util/json.ts';
import type { Disposable } from '../core/util/lifetime.ts';
import type { Logger } from '../core/util/logger.ts';
import type { ServedFolder } from './settings.ts';

/** What a {@link LocalService} needs. Paths are absolute. */
export interface LocalServiceParts {
  /** The bundle of the service. */
  readonly program: string;
  /** Where the service keeps its catalogue and its journal. */
  readonly dataFolder: string;
  readonly log: Logger;
  /** The folders to serve when it starts; those that should exist and do not are made by the caller. */
  folders(): Promise<readonly ServedFolder[]>;
  retentionDays(): number;
}

/** Where the running service listens, and the token it made at its start (D26). */
export interface LocalServiceAccess {
  readonly address: string;
  readonly token: string;
}

const startLimitMs = 30_000;

/** Runs the local service as a child process that ends with this window. */
export class LocalService implements Disposable {
  private readonly parts: LocalServiceParts;
  private child: ChildProcess | undefined;
  private starting: Promise<LocalServiceAccess> | undefined;
  private stopping: Promise<void> | undefined;
  private readonly changed = new Emitter<void>();

  /** Fires when the service started or ended, also by itself. */
  readonly onDidChange = this.changed.event;

  constructor(parts: LocalServiceParts) {
    this.parts = parts;
  }

  get isRunning(): boolean {
    return this.child !== undefined;
  }

  /** Resolves when the service listens; a service that runs is used as it is. Rejects with what it said when it ended. */
  start(): Promise<LocalServiceAccess> {
    if (this.starting) return this.starting;
    const forget = (): void => {
      if (this.starting === starting) this.starting = undefined;
    };
    const starting = this.launch(forget);
    starting.catch(forget);
    this.starting = starting;
    return starting;
  }

  /** Ends the service and resolves when it is gone; running transfers go on at its next start. */
  stop(): Promise<void> {
    this.stopping ??= this.end().finally(() => {
      this.stopping = undefined;
    });
    return this.stopping;
  }

  dispose(): void {
    this.child?.stdin?.end();
  }

  private async end(): Promise<void> {
    if (!this.child) await this.starting?.catch(() => undefined);
    const { child } = this;
    if (!child) return;
    this.starting = undefined;
    const gone = once(child, 'close');
    child.stdin?.end();
    await gone;
  }

  private async launch(whenEnded: () => void): Promise<LocalServiceAccess> {
    await this.stopping;
    const { program, dataFolder, log, folders, retentionDays } = this.parts;
    await mkdir(dataFolder, { recursive: true, mode: 0o700 });
    const config = { dataFolder, databases: await folders(), retentionDays: retentionDays(), endWithStdin: true };
    const child = spawn(process.execPath, [program, '--config', '-'], {
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.child = child;
    let lastWords = '';
    createInterface(child.stderr).on('line', (line) => {
      lastWords = line;
      log.info(`local service: ${line}`);
    });
    child.once('close', () => {
      if (this.child === child) this.child = undefined;
      whenEnded();
      this.changed.fire();
    });
    // The error of a write to a process that is gone; its end is what counts, and is told by the events above.
    child.stdin.on('error', (error) => log.debug(`local service: ${error.message}`));
    child.stdin.write(`${JSON.stringify(config)}\n`);
    const access = await this.firstLine(child, () => lastWords);
    log.info(`The local service listens at ${access.address}`);
    this.changed.fire();
    return access;
  }

  private async firstLine(child: ChildProcess, lastWords: () => string): Promise<LocalServiceAccess> {
    if (!child.stdout) throw new Error('The local service has no output');
    const limit = AbortSignal.timeout(startLimitMs);
    const ended = new AbortController();
    child.once('error', (error) => ended.abort(error));
    child.once('close', () => ended.abort(new Error(lastWords() || `it ended with code ${child.exitCode}`)));
    const lines = createInterface(child.stdout);
    try {
      const [line] = (await once(lines, 'line', { signal: AbortSignal.any([limit, ended.signal]) })) as [string];
      return parseAccess(line);
    } catch (error) {
      child.kill();
      throw ended.signal.aborted ? ended.signal.reason : error;
    }
  }
}

function parseAccess(line: string): LocalServiceAccess {
  const value: unknown = JSON.parse(line);
  const { address, token } = isJsonObject(value) ? value : {};
  if (typeof address !== 'string' || typeof token !== 'string') throw new Error('The local service gave no address');
  return { address, token };
}
