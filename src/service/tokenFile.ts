import * as fs from 'node:fs';
import { ConfigError } from './config.ts';

const minLength = 32;
const maxBytes = 4_096;

/**
 * Returns the token in a file that only the user of this process can read (D40). A file that isn't there is created
 * with `newToken()`. Throws {@link ConfigError} that says what to do.
 */
export function readTokenFile(file: string, newToken: () => string): string {
  try {
    create(file, newToken);
    // Without waiting: a FIFO would never open.
    const descriptor = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    try {
      return readToken(file, descriptor);
    } finally {
      fs.closeSync(descriptor);
    }
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`config.tokenFile can't be read: ${why}`, { cause: error });
  }
}

function create(file: string, newToken: () => string): void {
  try {
    fs.writeFileSync(file, `${newToken()}\n`, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

function readToken(file: string, descriptor: number): string {
  const stats = fs.fstatSync(descriptor);
  if (!stats.isFile()) throw new ConfigError(`config.tokenFile ${file} isn't a regular file`);
  checkOwner(file, stats);
  const token = stats.size > maxBytes ? '' : fs.readFileSync(descriptor, 'utf8').trim();
  // What a header can carry, and nobody can guess.
  if (/^[\x21-\x7e]+$/.test(token) && token.length >= minLength) return token;
  throw new ConfigError(
    `config.tokenFile ${file} must hold one token of at least ${minLength} ASCII characters without spaces; delete the file to have one created`,
  );
}

/** Windows has neither owners nor modes in this form; there the folder of the file has to be protected. */
function checkOwner(file: string, { uid, mode }: fs.Stats): void {
  if (process.getuid === undefined) return;
  if (uid !== process.getuid()) {
    throw new ConfigError(`config.tokenFile ${file} must belong to the user who runs the service`);
  }
  if ((mode & 0o077) !== 0) {
    throw new ConfigError(`config.tokenFile ${file} can be read by others; run "chmod 600 ${file}"`);
  }
}
