import { waitForEnd, type RcloneChild } from './rcloneChild.ts';
import { ErrorOutput } from '../../core/util/remote.ts';

const maxOutputChars = 1024 * 1024;

interface ChildOutput {
  readonly code: number;
  /** The beginning of the output. */
  readonly text: string;
  /** The end of the error output, which is never shown. */
  readonly errors: string;
}

/**
 * Waits for a child to exit and returns its output, cut off after about one million characters. Terminates the child
 * when the signal is aborted.
 */
export async function collectOutput(
  child: RcloneChild,
  signal: AbortSignal,
  maxErrorChars?: number,
): Promise<ChildOutput> {
  const ended = waitForEnd(child);
  const errors = collectErrors(child, maxErrorChars);
  const stop = endWithSignal(child, signal);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    if (text.length < maxOutputChars) text += piece;
  });
  const code = await ended;
  stop();
  return { code, text, errors: errors.toString() };
}

/** Collects the end of a child's error output. */
export function collectErrors(child: RcloneChild, maxChars?: number): ErrorOutput {
  const errors = new ErrorOutput(maxChars);
  child.stderr.setEncoding('utf8').on('data', (piece: string) => errors.add(piece));
  return errors;
}

/**
 * Terminates a child when the signal is aborted. Returns a function that stops listening and terminates the child if it
 * is still running.
 */
export function endWithSignal(child: RcloneChild, signal: AbortSignal): () => void {
  const end = (): void => void child.stdin.destroy();
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  return () => {
    signal.removeEventListener('abort', end);
    end();
  };
}
