import { ConnectionError, RuntimeError } from '../client/errors.ts';
import type { Reason } from '../model/reason.ts';

/** Why the client refused to send (§4.8); any other error is a fault of this program and is thrown on. */
export function refusalOf(error: unknown): Reason {
  if (error instanceof ConnectionError) return error.reason;
  if (error instanceof RuntimeError) return { kind: 'notConnected', detail: error.message };
  if (error instanceof TypeError || error instanceof RangeError) return { kind: 'badArgument', detail: error.message };
  throw error;
}

/** Asks the client; arguments that it refuses become a reason like any other. */
export async function asked<R extends { readonly reason?: Reason }>(
  ask: () => Promise<R>,
): Promise<R | { readonly value?: never; readonly reason: Reason }> {
  try {
    return await ask();
  } catch (error) {
    return { reason: refusalOf(error) };
  }
}
