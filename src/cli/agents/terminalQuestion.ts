import { createInterface } from 'node:readline/promises';
import { createUsageError } from '../cliError.ts';

/** The streams of a terminal. */
interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

/**
 * Asks a person to type `expected`. Resolves to true if it was typed, and to false for other input, after Ctrl+C, or at
 * the end of the input. Rejects if `signal` is aborted, or with a usage error if the streams aren't a terminal, because
 * a program could then answer (D64: a person decides).
 */
export async function askToType(
  { input, output }: Terminal,
  question: string,
  expected: string,
  signal: AbortSignal,
): Promise<boolean> {
  if (!input.isTTY || !output.isTTY) throw createUsageError('A plan must be confirmed by a person in a terminal.');
  const lines = createInterface({ input, output });
  // If the interface is closed, Node.js 22 leaves the question's promise pending; later versions reject it.
  const closed = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
  const answer = lines.question(question, { signal }).catch(() => {
    signal.throwIfAborted();
    return undefined;
  });
  try {
    return (await Promise.race([answer, closed]))?.trim() === expected;
  } finally {
    lines.close();
  }
}
