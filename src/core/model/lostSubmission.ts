import type { Transfer } from './transfer.ts';

/**
 * Returns true for a transfer that isn't confirmed because its connection ended, here or at a gateway: one of its ids
 * may have stopped the server (D37).
 */
export function mayHaveStoppedServer({ state, problem }: Transfer): boolean {
  return state === 'notConfirmed' && (problem?.kind === 'dropped' || problem?.status === 502);
}
