import type { StoreListing } from '../model/databaseModel.ts';
import { describeMissingReason, type Wording } from './sharedSentences.ts';

interface ListingWording extends Wording {
  /** Formats a time in ISO 8601 format. */
  readonly formatTime: (instant: string) => string;
}

/**
 * Describes a store's listing that is old or incomplete, because the last scan failed or a scan is running: a sentence
 * without a period. Returns undefined for a listing of which neither is known.
 */
export function describeListing(wording: ListingWording, listing: StoreListing): string | undefined {
  const { state, problem } = listing;
  if (state === 'listed') return undefined;
  return state === 'failed' || problem !== undefined
    ? describeFailedScan(wording, listing)
    : describeRunningScan(wording, listing);
}

function describeFailedScan({ l10n, toPlainLine, formatTime }: ListingWording, listing: StoreListing): string {
  const { asOf, problem } = listing;
  const cause = problem === undefined ? describeMissingReason(l10n) : toPlainLine(problem);
  if (asOf === undefined) return l10n.t('The listing is incomplete, because the last scan failed: {0}', cause);
  return l10n.t('The listing is from {0}, because the last scan failed: {1}', formatTime(asOf), cause);
}

function describeRunningScan({ l10n, formatTime }: ListingWording, { asOf }: StoreListing): string {
  if (asOf === undefined) return l10n.t('The listing is incomplete, and a scan is running');
  return l10n.t('The listing is from {0}, and a scan is running', formatTime(asOf));
}
