import { ConnectionError, isArgumentError, RuntimeError } from '../client/reply.ts';
import type { Reason } from '../model/reason.ts';

/**
 * Returns the reason for an error from the client: invalid arguments, no connection, or a failure to connect (§4.8).
 * Rethrows any other error, which is a bug.
 */
export function toRefusal(error: unknown): Reason {
  if (error instanceof ConnectionError) return error.reason;
  if (error instanceof RuntimeError) return { kind: 'notConnected', detail: error.message };
  if (isArgumentError(error)) return { kind: 'badArgument', detail: error.message };
  throw error;
}

/**
 * Runs a client operation. If the operation fails with an error that {@link toRefusal} converts, resolves to the
 * reason.
 */
export async function catchRefusal<R extends { readonly reason?: Reason }>(
  operation: () => Promise<R>,
): Promise<R | { readonly value?: never; readonly reason: Reason }> {
  try {
    return await operation();
  } catch (error) {
    return { reason: toRefusal(error) };
  }
}
