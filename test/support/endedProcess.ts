import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Returns the ID of a process that has ended. */
export async function getEndedPid(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'close');
  return child.pid ?? 0;
}
