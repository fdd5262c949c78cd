import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import * as nodePath from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { systemClock } from '../core/util/clock.ts';
import { ConfigError, parseConfig, type ServiceConfig } from './config.ts';
import { newToken, startService, type RunningService } from './localService.ts';
import { LogFile } from './logFile.ts';
import { watchParent } from './parentWatch.ts';
import { endProcess } from './processEnd.ts';
import { lineLogger } from './stderrLogger.ts';
import { readTokenFile } from './tokenFile.ts';
import { serviceVersion } from './version.ts';

const usage = 'usage: --config FILE, or --config - to read the configuration from the first line of standard input';

async function readConfig(): Promise<ServiceConfig> {
  const file = configArgument();
  if (file === '-') return parseConfig(await firstLine(), process.cwd());
  const path = nodePath.resolve(file);
  try {
    return parseConfig(await readFile(path, 'utf8'), nodePath.dirname(path));
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`cannot read ${path}`, { cause: error });
  }
}

function configArgument(): string {
  try {
    const { values } = parseArgs({ options: { config: { type: 'string' } } });
    if (values.config !== undefined) return values.config;
  } catch (cause) {
    throw new ConfigError(usage, { cause });
  }
  throw new ConfigError(usage);
}

async function firstLine(): Promise<string> {
  const lines = createInterface({ input: process.stdin });
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
  }
}

/** True when started by `npm run`: if npm is killed, or its shell keeps a signal for itself, nobody else ends the service. */
const isRunByNpm =
  process.env['npm_lifecycle_event'] === 'service' && process.env['npm_package_name'] === 'data-transfer-explorer';
/** Read at once: where it ends while the service starts, the process gets another one. */
const parent = process.ppid;

function stopOnSignals(service: RunningService, endWithStdin: boolean): void {
  void service.ended.then(endProcess);
  const stop = (): void => void service.close();
  // Not once: Ctrl-C reaches the service twice below npm, which hands it on, and the second would end it in the middle.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
  if (isRunByNpm) watchParent(systemClock, parent, stop);
  if (!endWithStdin) return;
  if (process.stdin.readableEnded || process.stdin.destroyed) stop();
  else process.stdin.once('end', stop).once('close', stop).resume();
}

async function main(): Promise<void> {
  const config = await readConfig();
  // The token file may be in it.
  mkdirSync(config.dataFolder, { recursive: true, mode: 0o700 });
  const token = config.tokenFile === undefined ? newToken() : readTokenFile(config.tokenFile, newToken);
  const sharingToken = newToken();
  const secrets = [token, sharingToken].flatMap((secret) => [secret, Buffer.from(secret, 'utf8').toString('base64')]);
  const logger = lineLogger(logWriter(config), () => secrets);
  // The requests of windows are many and always the same; whoever serves others wants to see theirs.
  const onAccess = config.shared === true ? {} : { onAccess: (line: string) => void process.stderr.write(line) };
  const service = await startService(config, { logger, token, sharingToken, ...onAccess });
  stopOnSignals(service, config.endWithStdin ?? false);
  const { address } = service;
  process.stdout.write(`${JSON.stringify({ address, token, version: serviceVersion, pid: process.pid })}\n`);
}

/** A shared service outlives whoever started it, so it logs to a file (D29). */
function logWriter(config: ServiceConfig): (line: string) => unknown {
  // Whoever read them may have ended, as a terminal that was closed.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  if (config.shared !== true) return (line) => process.stderr.write(line);
  const log = new LogFile(nodePath.join(config.dataFolder, 'service.log'));
  process.on('uncaughtExceptionMonitor', (error) => log.write(`${error.stack ?? error.message}\n`));
  return (line) => log.write(line);
}

const sqliteBusy = 5;

/** Why the service did not start, in a sentence for whoever started it. */
function whyNot(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  const isBusy = error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy;
  return isBusy
    ? 'Another local service, perhaps of another window, is using the same data folder.'
    : `The service cannot start: ${error instanceof Error ? error.message : String(error)}`;
}

main().catch((error: unknown) => {
  process.stderr.write(`${whyNot(error)}\n`);
  process.exit(error instanceof ConfigError ? 2 : 1);
});
