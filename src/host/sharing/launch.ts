import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** What a service is started with. Paths are absolute. */
export interface LaunchParts {
  /** The bundle of the service. */
  readonly program: string;
  readonly dataFolder: string;
  /** Days for which ended transfers are remembered. */
  readonly retentionDays: number;
}

const startLimitMs = 30_000;

/**
 * Starts a service that goes on when this process ends, and resolves when it listens and has told of itself in its
 * data folder. Rejects with what it said when it could not start.
 */
export async function launchService({ program, dataFolder, retentionDays }: LaunchParts): Promise<void> {
  const child = spawn(process.execPath, [program, '--config', '-'], {
    cwd: dataFolder,
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    windowsHide: true,
  });
  // The error of a write to a process that is gone; its end is what counts, and is told by the events below.
  child.stdin.on('error', () => undefined);
  child.stdin.end(`${JSON.stringify({ dataFolder, databases: [], retentionDays, shared: true })}\n`);
  try {
    await listening(child);
  } catch (error) {
    child.kill();
    throw error;
  } finally {
    for (const pipe of [child.stdout, child.stderr]) pipe.destroy();
    child.unref();
  }
}

async function listening(child: ChildProcess): Promise<void> {
  if (!child.stdout || !child.stderr) throw new Error('The local service has no output');
  let lastWords = '';
  createInterface({ input: child.stderr }).on('line', (line) => (lastWords = line));
  const ended = new AbortController();
  child.once('error', (error) => ended.abort(error));
  child.once('close', () => ended.abort(new Error(lastWords || `it ended with code ${child.exitCode}`)));
  const signal = AbortSignal.any([AbortSignal.timeout(startLimitMs), ended.signal]);
  try {
    await once(createInterface({ input: child.stdout }), 'line', { signal });
  } catch (error) {
    throw ended.signal.aborted ? ended.signal.reason : error;
  }
}
