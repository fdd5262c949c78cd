import { spawn } from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { createFolder } from '../../core/util/createFolder.ts';
import { getErrorCode } from '../../core/util/errorFacts.ts';
import { getKeptEnvironment } from '../cluster/slurm.ts';
import { FollowUpError } from './followUpPlace.ts';

/** The end of a program: its exit code, or the signal that ended it. */
interface ProgramEnd {
  readonly exitCode?: number;
  readonly signal?: string;
}

/** A program that was started. */
interface StartedProgram {
  readonly ended: Promise<ProgramEnd>;
}

/** The files with the output of programs, one for each transfer, which only the user can read. */
export class ProgramOutputs {
  private readonly folder: string;

  constructor(dataFolder: string) {
    this.folder = nodePath.join(dataFolder, 'follow-ups');
  }

  getFile(transferId: string): string {
    return nodePath.join(this.folder, `${transferId}.txt`);
  }

  /** Creates the file of a transfer. */
  async open(transferId: string): Promise<fs.FileHandle> {
    await createFolder(this.folder, 0o700);
    return await fs.open(this.getFile(transferId), 'a', 0o600);
  }

  /** Removes the files of transfers that are no longer known. Never rejects. */
  async prune(isKnown: (transferId: string) => boolean): Promise<void> {
    const names = await fs.readdir(this.folder).catch(() => []);
    const files = names.filter((name) => name.endsWith('.txt'));
    const removeOld = async (name: string): Promise<void> => {
      if (!isKnown(nodePath.basename(name, '.txt'))) await fs.rm(nodePath.join(this.folder, name));
    };
    await Promise.allSettled(files.map(removeOld));
  }
}

/**
 * Starts a program without arguments, in its own folder, which continues if this process ends. Throws
 * {@link FollowUpError} if the system doesn't start it.
 */
export async function startProgram(
  path: string,
  variables: Readonly<Record<string, string>>,
  output: fs.FileHandle,
): Promise<StartedProgram> {
  const env = Object.assign(getKeptEnvironment(), variables);
  const options = { cwd: nodePath.dirname(path), env, detached: true, windowsHide: true } as const;
  const child = spawn(path, [], { ...options, stdio: ['ignore', output.fd, output.fd] });
  child.unref();
  const ended = new Promise<ProgramEnd>((resolve) =>
    child.once('exit', (code, signal) => resolve(code === null ? { signal: String(signal) } : { exitCode: code })),
  );
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(new FollowUpError(`it can't be started (${getErrorCode(error)})`)));
  });
  return { ended };
}
