import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const program = 'img2webp';
const frameMs = 1600;
const lastFrameMs = 4000;

/**
 * Writes a looping animation in the WebP format. `screenshots` contains the paths of its frames, in order. Rejects with
 * an error that names the missing package if the encoder isn't installed.
 */
export async function writeAnimation(screenshots: readonly string[], destination: string): Promise<void> {
  const frames = screenshots.flatMap((screenshot, index) => {
    const duration = index === screenshots.length - 1 ? lastFrameMs : frameMs;
    return ['-d', String(duration), screenshot];
  });
  try {
    await promisify(execFile)(program, ['-loop', '0', '-lossless', '-m', '6', ...frames, '-o', destination]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error(`${program} is missing; install the package "webp".`, { cause: error });
  }
}
