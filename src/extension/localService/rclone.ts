import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { isJsonObject } from '../../core/util/json.ts';
import {
  createRcloneEnvironment,
  describeStoreFailure,
  findRemoteProblem,
  repeatIfRemoteMissing,
} from '../../core/util/remote.ts';

interface ConfiguredRemote {
  /** The name with a trailing colon, such as `lab:`. */
  readonly remote: string;
  /** The name of the rclone backend, such as `s3`. */
  readonly type: string;
}

const maxOutputBytes = 64 * 1024 * 1024;
const timeoutMs = 120_000;

/** Lists the configured remotes whose names the service accepts (D62: stores through rclone). */
export async function listRemotes(program: string): Promise<readonly ConfiguredRemote[]> {
  const text = await runRclone(program, ['listremotes', '--long'], '', AbortSignal.timeout(timeoutMs));
  return text.split('\n').flatMap((line) => {
    const end = line.indexOf(':') + 1;
    const remote = line.slice(0, end);
    return findRemoteProblem(remote) === undefined ? [{ remote, type: line.slice(end).trim() }] : [];
  });
}

/**
 * Lists the names of the folders at one level of a store. If rclone fails or takes longer than `limitMs`, rejects with
 * an error whose message is a clause that describes the cause.
 */
export async function listStoreFolders(
  program: string,
  remote: string,
  signal: AbortSignal,
  limitMs = timeoutMs,
): Promise<readonly string[]> {
  const args = ['lsjson', '--dirs-only', '--no-modtime', '--no-mimetype', '--', remote];
  const text = await repeatIfRemoteMissing(async () => await runRclone(program, args, remote, signal, limitMs));
  const listed: unknown = JSON.parse(text);
  if (!Array.isArray(listed)) return [];
  return listed.flatMap((one: unknown) => (isJsonObject(one) && typeof one['Name'] === 'string' ? [one['Name']] : []));
}

/** Counts the files at one level of a store. There may be more if it is `limit`, or if rclone fails. */
export async function countStoreFiles(
  program: string,
  remote: string,
  limit: number,
  signal: AbortSignal,
): Promise<number> {
  const args = ['lsf', '--files-only', '--format', 's', '--', remote];
  const child = spawn(program, args, {
    env: createRcloneEnvironment(),
    stdio: ['ignore', 'pipe', 'ignore'],
    windowsHide: true,
    signal,
  });
  child.on('error', () => undefined);
  const ended = once(child, 'close').catch(() => undefined);
  let count = 0;
  createInterface({ input: child.stdout }).on('line', () => {
    count += 1;
    if (count === limit) child.kill();
  });
  await ended;
  signal.throwIfAborted();
  return Math.min(count, limit);
}

/** Runs rclone and resolves to its output. Rejects with a description of the cause instead of rclone's own message. */
async function runRclone(
  program: string,
  args: readonly string[],
  remote: string,
  signal: AbortSignal,
  limitMs = timeoutMs,
): Promise<string> {
  const limits = { maxBuffer: maxOutputBytes, timeout: limitMs };
  const options = { env: createRcloneEnvironment(), windowsHide: true, ...limits, signal };
  try {
    return (await promisify(execFile)(program, args, options)).stdout;
  } catch (error) {
    signal.throwIfAborted();
    const { stderr, killed, code } = isJsonObject(error) ? error : {};
    // After the time limit, rclone is ended before it can report anything.
    const errors = killed === true && code === null ? 'ETIMEDOUT' : stderr;
    throw new Error(describeStoreFailure(typeof errors === 'string' ? errors : '', remote), { cause: error });
  }
}
