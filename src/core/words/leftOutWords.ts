import { leftOutKinds, type LeftOutCounts, type LeftOutKind } from '../util/leftOut.ts';
import type { Translator } from './sharedSentences.ts';

/** Describes, as a clause, what a listing leaves out. Each reason is followed by the number of names. */
export function describeLeftOut(
  l10n: Translator,
  counts: LeftOutCounts,
  formatNumber: (value: number) => string,
): string {
  const reasons: Readonly<Record<LeftOutKind, string>> = {
    hidden: l10n.t('hidden names'),
    unreadable: l10n.t('unreadable folders'),
    missingContent: l10n.t('links without content'),
    outsideLinks: l10n.t('links to places outside'),
    folderLinks: l10n.t('links to folders'),
    invalidNames: l10n.t('invalid names'),
    specialFiles: l10n.t('devices, pipes and sockets'),
    unknownSizes: l10n.t('files of unknown size'),
  };
  const parts = leftOutKinds.flatMap((kind) => {
    const count = counts[kind] ?? 0;
    return count > 0 ? [`${reasons[kind]} (${formatNumber(count)})`] : [];
  });
  return parts.length === 0 ? l10n.t('nothing left out') : l10n.t('left out: {0}', parts.join(', '));
}
