import * as fs from 'node:fs';
import { writeFileAtomically } from '../core/util/durableFiles.ts';
import { getErrorCode } from '../core/util/errorFacts.ts';
import { parseJsonObject } from '../core/util/json.ts';
import { describeProcess } from '../core/util/ownProcess.ts';
import { ConfigError } from './config.ts';
import { serviceVersion } from './version.ts';

interface PublishedService {
  readonly address: string;
  readonly token: string;
  readonly sharingToken: string;
}

/**
 * Writes the file in which the user's windows and the command line find a shared service (D29: shared service). The
 * file is left behind only if the service crashes or is killed.
 */
export async function writeServiceFile(file: string, service: PublishedService): Promise<void> {
  const { address, token, sharingToken } = service;
  const record = { address, token, sharingToken, ...describeProcess(), version: serviceVersion };
  await writeFileAtomically(file, `${JSON.stringify(record)}\n`, true);
}

/**
 * Removes a service's file if it contains the given token. Never throws. Uses the synchronous API, because a hanging
 * disk may block all threads of the asynchronous one (D42: hanging disks).
 */
export function removeServiceFile(file: string, token: string): void {
  try {
    if (parseJsonObject(fs.readFileSync(file, 'utf8'))?.['token'] === token) fs.rmSync(file);
  } catch {
    // The file is missing, or can't be read or removed.
  }
}

const minTokenLength = 32;
const maxTokenBytes = 4_096;

/** Returns a file's token; creates a missing file (D40: administered service). Throws {@link ConfigError}. */
export function readTokenFile(file: string, newToken: () => string): string {
  try {
    createTokenFile(file, newToken);
    // Non-blocking, because opening a FIFO could wait forever.
    const descriptor = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    try {
      return readToken(file, descriptor);
    } finally {
      fs.closeSync(descriptor);
    }
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`config.tokenFile can't be read or created: ${reason}`, { cause: error });
  }
}

function createTokenFile(file: string, newToken: () => string): void {
  try {
    fs.writeFileSync(file, `${newToken()}\n`, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if (getErrorCode(error) !== 'EEXIST') throw error;
  }
}

function readToken(file: string, descriptor: number): string {
  const stats = fs.fstatSync(descriptor);
  if (!stats.isFile()) throw new ConfigError(`config.tokenFile ${file} isn't a regular file`);
  checkOwner(file, stats);
  const token = stats.size > maxTokenBytes ? '' : fs.readFileSync(descriptor, 'utf8').trim();
  // A token must fit into a header and be hard to guess.
  if (/^[\x21-\x7e]+$/.test(token) && token.length >= minTokenLength) return token;
  throw new ConfigError(
    `config.tokenFile ${file} must hold one token of at least ${minTokenLength} ASCII characters without spaces; delete the file to have one created`,
  );
}

/** On Windows, owners aren't checked. */
function checkOwner(file: string, { uid, mode }: fs.Stats): void {
  if (process.getuid === undefined) return;
  if (uid !== process.getuid()) {
    throw new ConfigError(`config.tokenFile ${file} must belong to the user who runs the service`);
  }
  if ((mode & 0o077) !== 0) {
    throw new ConfigError(`config.tokenFile ${file} is accessible to other users; run "chmod 600 ${file}"`);
  }
}
