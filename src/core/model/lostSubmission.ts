import type { Transfer } from './transferModel.ts';

/** Returns true if the IDs in an unconfirmed submission may have crashed the server (D37: crashing file ids). */
export function mayHaveStoppedServer({ state, problem }: Transfer): boolean {
  return state === 'notConfirmed' && (problem?.kind === 'dropped' || problem?.status === 502);
}
