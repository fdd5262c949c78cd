import { readFile } from 'node:fs/promises';
import * as nodePath from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { createFolderSync } from '../core/util/createFolder.ts';
import { isRunning } from '../core/util/ownProcess.ts';
import { ConfigError, parseConfig, type ServiceConfig } from './config.ts';
import { generateToken, startService, type RunningService, type ServiceEnd } from './startService.ts';
import { createLineLogger, createLineOutput, openLogFile } from './serviceLog.ts';
import { readTokenFile } from './accessFiles.ts';
import { serviceVersion } from './version.ts';

const usage = 'usage: --config FILE, or --config - to read the configuration from the first line of standard input';

async function readConfig(): Promise<ServiceConfig> {
  const file = getConfigArgument();
  if (file === '-') return parseConfig(await readFirstLine(), process.cwd());
  const path = nodePath.resolve(file);
  try {
    return parseConfig(await readFile(path, 'utf8'), nodePath.dirname(path));
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(`${path}: ${error.message}`, { cause: error });
    throw new ConfigError(`cannot read ${path}`, { cause: error });
  }
}

function getConfigArgument(): string {
  try {
    const { values } = parseArgs({ options: { config: { type: 'string' } } });
    if (values.config !== undefined) return values.config;
  } catch (cause) {
    throw new ConfigError(usage, { cause });
  }
  throw new ConfigError(usage);
}

async function readFirstLine(): Promise<string> {
  const lines = createInterface({ input: process.stdin });
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
  }
}

/** If npm is killed, or its shell does not forward a signal, only {@link watchParent} stops the service. */
const isRunByNpm =
  process.env['npm_lifecycle_event'] === 'service' && process.env['npm_package_name'] === 'data-transfer-explorer';
/** ID of the parent process. Read immediately, because the ID changes if the parent exits during startup. */
const parent = process.ppid;

/** Time limit for the whole shutdown, which takes at most 5 s unless the main thread hangs. */
const maxStopMs = 5_250;
/** For pending file system requests, slow on a busy disk. {@link limitStop} may end it earlier. */
const graceMs = 5_000;
const checkEveryMs = 10;
const parentCheckMs = 1_000;

/** Kills this process if its shutdown hangs, for example in a system call (D42: hanging disks). */
function limitStop(): void {
  const program = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${Date.now() + maxStopMs} - Date.now())`;
  new Worker(program, { eval: true }).on('error', () => undefined).unref();
}

/** Exits this process, or kills it if a thread hangs in a system call (D42: hanging disks). */
async function endProcess(end: ServiceEnd): Promise<void> {
  const isClean = end === 'clean' && (await waitForFileRequests());
  if (isClean) process.exit(0);
  process.kill(process.pid, 'SIGKILL');
}

/** Returns false if requests are still pending after {@link graceMs}. No event reports their completion. */
async function waitForFileRequests(): Promise<boolean> {
  const endAtMs = performance.now() + graceMs;
  while (process.getActiveResourcesInfo().some((kind) => kind.startsWith('FSReq'))) {
    if (performance.now() > endAtMs) return false;
    await new Promise((resolve) => setTimeout(resolve, checkEveryMs));
  }
  return true;
}

/** Calls `onDidEnd` once, when the parent has exited. Polls, because the system doesn't notify children. */
function watchParent(parent: number, onDidEnd: () => void): void {
  const timer = setInterval(() => {
    if (isParent(parent)) return;
    clearInterval(timer);
    onDidEnd();
  }, parentCheckMs);
}

/** On Windows, the parent's ID doesn't change when the parent exits, so the process itself is checked too. */
function isParent(pid: number): boolean {
  return process.ppid === pid && isRunning(pid);
}

function stopOnSignals(service: RunningService, endWithStdin: boolean): void {
  void service.ended.then(endProcess);
  const stop = (): void => void service.close();
  // Not `once`: npm forwards Ctrl-C, so the signal arrives twice, and the second one would kill the process during
  // shutdown.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
  if (isRunByNpm) watchParent(parent, stop);
  if (!endWithStdin) return;
  if (process.stdin.readableEnded || process.stdin.destroyed) stop();
  else process.stdin.once('end', stop).once('close', stop).resume();
}

async function main(): Promise<void> {
  // The reader of these streams may be gone, for example because its terminal was closed.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const config = await readConfig();
  // Created first, because the token file may be in this folder.
  createFolderSync(config.dataFolder, 0o700);
  const token = config.tokenFile === undefined ? generateToken() : readTokenFile(config.tokenFile, generateToken);
  const sharingToken = generateToken();
  const secrets = [token, sharingToken].flatMap((secret) => [secret, Buffer.from(secret, 'utf8').toString('base64')]);
  const write = createOutput(config, (count) =>
    logger.warn(`${count} log lines were dropped because standard error was not read fast enough.`),
  );
  const logger = createLineLogger(write, () => secrets);
  // Only an administered service logs requests; requests from windows are frequent and uniform.
  const onAccess = config.shared === true ? {} : { onAccess: write };
  const service = await startService(config, { logger, token, sharingToken, onStop: limitStop, ...onAccess });
  stopOnSignals(service, config.endWithStdin ?? false);
  const { address } = service;
  // Under a service manager, standard output ends up in a log, which others may read.
  const printedToken = config.tokenFile === undefined ? { token } : {};
  const line = { address, ...printedToken, version: serviceVersion, pid: process.pid };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** A shared service logs to a file: it outlives the reader of its standard error (D29: shared service). */
function createOutput(config: ServiceConfig, onResume: (droppedCount: number) => void): (line: string) => void {
  if (config.shared !== true) return createLineOutput(process.stderr, onResume);
  const write = openLogFile(nodePath.join(config.dataFolder, 'service.log'));
  process.on('uncaughtExceptionMonitor', (error) => write(`${error.stack ?? error.message}\n`));
  return write;
}

const sqliteBusy = 5;

function describeStartError(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  const isBusy = error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy;
  return isBusy
    ? 'Another local service, perhaps one started by another window, is using the same data folder.'
    : `The service cannot start: ${error instanceof Error ? error.message : String(error)}`;
}

main().catch((error: unknown) => {
  process.stderr.write(`${describeStartError(error)}\n`);
  process.exit(error instanceof ConfigError ? 2 : 1);
});
