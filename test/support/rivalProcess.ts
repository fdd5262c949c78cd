/**
 * Runs a job that moves files, or disturbs one, in a separate process. Arguments: what to do, and a JSON value for it.
 * Sends its parent a message when it is ready or has ended.
 */
import * as fs from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { createJobSignal, type MoveJob } from '../../src/service/transfers/fileJobs.ts';
import { moveFiles } from '../../src/service/transfers/moveFiles.ts';

/** The path of this program. */
export const rivalProgram = import.meta.filename;

interface Swap {
  readonly folder: string;
  readonly outside: string;
}

/** Writes a file as soon as an unfinished copy appears in its folder. */
async function rivalFile(path: string): Promise<void> {
  const folder = path.slice(0, path.lastIndexOf('/'));
  const isCopied = (): boolean =>
    fs.existsSync(folder) && fs.readdirSync(folder).some((name) => name.includes('.part-'));
  process.send?.('ready');
  while (!isCopied()) await setImmediate();
  fs.writeFileSync(path, 'theirs', { flag: 'wx' });
}

/** Replaces a folder by a link, and puts it back, until the parent sends a message. */
async function swapFolders(swap: Swap): Promise<void> {
  let isEnded = false;
  process.once('message', () => (isEnded = true));
  process.send?.('ready');
  for (let count = 0; !isEnded; count++) {
    await swapOnce(swap, `${swap.folder}.away${count}`);
    await setImmediate();
  }
  process.disconnect();
}

async function swapOnce({ folder, outside }: Swap, away: string): Promise<void> {
  try {
    fs.renameSync(folder, away);
    fs.symlinkSync(outside, folder);
    await setImmediate();
    fs.unlinkSync(folder);
    fs.renameSync(away, folder);
  } catch {
    // The mover has removed the folder, or created it again.
  }
}

if (import.meta.main) {
  const [what, value = ''] = process.argv.slice(2);
  const input: unknown = JSON.parse(value);
  if (what === 'file') await rivalFile(input as string);
  else if (what === 'swap') await swapFolders(input as Swap);
  else
    process.send?.(await moveFiles({ ...(input as MoveJob), signal: createJobSignal() }), () => process.disconnect());
}
