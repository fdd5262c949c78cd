import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import { eventually } from './eventually.ts';
import { mustFindRclone } from './storeServers.ts';

/** A folder that rclone mounts; `close` unmounts it. */
export interface RcloneMount {
  readonly close: () => Promise<void>;
}

/** Mounts what is in the folder `behind` at an empty folder, with additional options. Requires FUSE. */
export async function mountByRclone(
  behind: string,
  folder: string,
  options: readonly string[] = [],
): Promise<RcloneMount> {
  const before = await fs.stat(folder);
  const mount = spawn(mustFindRclone(), ['mount', ...options, behind, folder], { stdio: 'ignore' });
  const ended = once(mount, 'exit');
  await eventually(async () => {
    if (mount.exitCode !== null) throw new Error('rclone could not mount the folder. Is FUSE available?');
    return (await fs.stat(folder)).dev === before.dev ? undefined : true;
  });
  const close = async (): Promise<void> => {
    mount.kill();
    await ended;
  };
  return { close };
}
