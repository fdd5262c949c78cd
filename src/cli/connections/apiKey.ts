import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { isHeaderSafe } from '../../core/client/request.ts';
import { getErrorCode } from '../../core/util/errorFacts.ts';
import { parseJsonObject } from '../../core/util/json.ts';
import { isOwnProcess } from '../../core/util/ownProcess.ts';
import { CliError, createRequestError, createUsageError, exitCode } from '../cliError.ts';
import type { CommandContext } from '../commandContext.ts';
import { toPlainCell } from '../text/terminalText.ts';

/** The maximum length of the content of a file with an API key. Servers accept at most 8 to 16 kB in a header. */
const maxLength = 65_536;

const notConnected = "Couldn't connect";

const selectAdvice = 'Use --connection or --server to select the service that the key belongs to.';

/**
 * Reads a connection's API key. If `hasOptions` is true, the key options apply to this connection and can name the
 * source of the key. The default source is the environment variable `connectionVariable`. Throws an error with exit
 * code 3 if there is no key. Throws a usage error if the options name several sources, if they name standard input and
 * it is a terminal, or if they don't apply and the connection has no variable.
 */
export async function readApiKey(
  context: CommandContext,
  connectionVariable: string | undefined,
  hasOptions: boolean,
): Promise<string> {
  const { keyVariable, keyFile, keyStdin } = context.options;
  const sources = [keyVariable, keyFile, keyStdin].filter((source) => source !== undefined);
  if (sources.length > 1) throw createUsageError('Use only one of --key-variable, --key-file, and --key-stdin.');
  if (!hasOptions && connectionVariable === undefined && sources.length > 0) throw createUsageError(selectAdvice);
  if (!hasOptions) return readVariable(context, connectionVariable);
  if (keyFile !== undefined) return requireKey(await readKeyFile(keyFile), toPlainCell(keyFile));
  if (keyStdin) return requireKey(await readStandardInput(), 'standard input');
  return readVariable(context, keyVariable ?? connectionVariable);
}

function readVariable(context: CommandContext, variable: string | undefined): string {
  if (variable === undefined) throw createRequestError(notConnected, { kind: 'keyMissing' });
  const value = context.environment[variable]?.trim();
  if (!value) throw createRequestError(notConnected, { kind: 'variableEmpty', detail: variable });
  return requireKey(value, variable);
}

function requireKey(content: string, source: string): string {
  if (content.length > maxLength) {
    throw new CliError(`${notConnected}: ${source} is too large for an API key.`, exitCode.connection);
  }
  const key = content.trim();
  if (!isHeaderSafe(key)) {
    throw new CliError(`${notConnected}: ${source} contains more than an API key in ASCII.`, exitCode.connection);
  }
  if (key === '') throw new CliError(`${notConnected}: ${source} contains no API key.`, exitCode.connection);
  return key;
}

async function readKeyFile(file: string): Promise<string> {
  try {
    return await readStart(createReadStream(file));
  } catch (error) {
    // The argument is not repeated, because it may be a key that was given instead of a file.
    throw new CliError(`Couldn't read the file of --key-file (${getErrorCode(error)}).`, exitCode.connection);
  }
}

async function readStandardInput(): Promise<string> {
  if (process.stdin.isTTY) throw createUsageError('--key-stdin reads a pipe or a file, not a terminal.');
  return await readStart(process.stdin);
}

/** Reads a text until it is longer than an API key, because a device or a pipe can be endless. */
async function readStart(stream: Readable): Promise<string> {
  let content = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    content += String(chunk);
    if (content.length > maxLength) break;
  }
  return content;
}

/** The address and the key of a running local service. */
interface ServiceAccess {
  readonly address: string;
  readonly token: string;
}

/**
 * Reads the file in which the user's local service publishes its address and key (D29: shared service). Throws an error
 * if the service isn't running.
 */
export async function readServiceFile(file: string): Promise<ServiceAccess> {
  const content = await readFile(file, 'utf8').catch(() => '');
  const record = parseJsonObject(content) ?? {};
  const { address, token } = record;
  if (isOwnProcess(record) && typeof address === 'string' && typeof token === 'string') return { address, token };
  throw createRequestError("Couldn't connect", { kind: 'serviceStopped' });
}
