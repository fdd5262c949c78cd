import type { Reason } from './reason.ts';

/** A requested ID for which no file was returned, with the reason if it is known (D8: metadata by ids). */
export interface MissingId {
  readonly id: string;
  readonly reason?: Reason;
}

/**
 * Returns one kind of missing IDs: those that the service does not know (`isUnknown`), or those whose lookup failed
 * (D8: metadata by ids).
 */
export function filterMissingIds(
  { missing }: { readonly missing: readonly MissingId[] },
  isUnknown: boolean,
): readonly MissingId[] {
  return missing.filter(({ reason }) => (reason === undefined || reason.kind === 'notFound') === isUnknown);
}
