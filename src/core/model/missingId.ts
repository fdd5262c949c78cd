import type { Reason } from './reason.ts';

/** A requested ID for which no file was returned, with the reason if it is known (D8: metadata by ids). */
export interface MissingId {
  readonly id: string;
  readonly reason?: Reason;
}

/**
 * Returns the missing IDs that the service does not know or, if `isUnknown` is false, those whose lookup failed (D8:
 * metadata by ids).
 */
export function filterMissingIds(
  { missing }: { readonly missing: readonly MissingId[] },
  isUnknown: boolean,
): readonly MissingId[] {
  return missing.filter(({ reason }) => (reason === undefined || reason.kind === 'notFound') === isUnknown);
}
