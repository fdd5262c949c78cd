import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const program = 'img2webp';
const frameMs = 1600;
const lastFrameMs = 4000;

/**
 * Writes a looping animation in the WebP format. `pictures` are the paths of its frames, in order. Rejects with an
 * error that names the missing package if the encoder isn't installed.
 */
export async function writeAnimation(pictures: readonly string[], destination: string): Promise<void> {
  const frames = pictures.flatMap((picture, index) => {
    const duration = index === pictures.length - 1 ? lastFrameMs : frameMs;
    return ['-d', String(duration), picture];
  });
  try {
    await promisify(execFile)(program, ['-loop', '0', '-lossless', '-m', '6', ...frames, '-o', destination]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error(`${program} is missing; install the package "webp".`, { cause: error });
  }
}
