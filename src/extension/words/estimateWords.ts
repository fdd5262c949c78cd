import { env, l10n } from 'vscode';
import type { Estimate } from '../../core/model/transferModel.ts';
import { formatList, plural } from './localeFormats.ts';

/** Describes an estimate for a row, such as "about 4 min" or "4–7 min, based on 3 earlier transfers". */
export function describeEstimate(estimate: Estimate): string {
  const isEarlier = estimate.kind === 'range' && estimate.basis === 'earlier';
  return formatList([formatTimeLeft(estimate), isEarlier ? describeEstimateBasis(estimate) : undefined]);
}

/** Formats an estimate without its basis, such as "about 4 min", "4–7 min" or "no progress for 40 min". */
export function formatTimeLeft(estimate: Estimate): string {
  if (estimate.kind === 'range') return formatTimeSpan(estimate.lowMs, estimate.highMs);
  return l10n.t('no progress for {0}', formatDuration(estimate.sinceMs));
}

/**
 * Formats the time since a stalled transfer last made progress, such as "40 min ago". Returns undefined if the transfer
 * isn't stalled.
 */
export function formatLastProgress(estimate: Estimate): string | undefined {
  return estimate.kind === 'range' ? undefined : l10n.t('{0} ago', formatDuration(estimate.sinceMs));
}

/**
 * Describes the basis of an estimate, such as "based on 3 earlier transfers". Returns undefined for a stalled transfer.
 */
export function describeEstimateBasis(estimate: Estimate): string | undefined {
  if (estimate.kind === 'stalled') return undefined;
  if (estimate.basis === 'movement') return l10n.t('based on files transferred so far');
  if (estimate.basis === 'bytes') return l10n.t('based on data transferred so far');
  const { count = 1 } = estimate;
  return plural(count, 'based on {0} earlier transfer', 'based on {0} earlier transfers');
}

const timeUnits = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
type TimeUnit = keyof typeof timeUnits;

function formatTimeSpan(lowMs: number, highMs: number): string {
  if (highMs < timeUnits.minute) return l10n.t('less than a minute');
  const unit = getTimeUnit(highMs);
  const [low, high] = [roundToUnit(lowMs, unit), roundToUnit(highMs, unit)];
  const format = getUnitFormat(unit);
  if (low === high) return l10n.t('about {0}', format.format(high));
  return low === 0 ? l10n.t('up to {0}', format.format(high)) : format.formatRange(low, high);
}

function formatDuration(durationMs: number): string {
  const unit = getTimeUnit(durationMs);
  return getUnitFormat(unit).format(roundToUnit(durationMs, unit));
}

function getTimeUnit(durationMs: number): TimeUnit {
  if (durationMs < 1.5 * timeUnits.hour) return 'minute';
  return durationMs < 1.5 * timeUnits.day ? 'hour' : 'day';
}

/** Converts a duration to a unit. Rounds to whole units, or to half units below 10 hours or 10 days. */
function roundToUnit(durationMs: number, unit: TimeUnit): number {
  const value = durationMs / timeUnits[unit];
  const step = unit !== 'minute' && value < 10 ? 0.5 : 1;
  return Math.round(value / step) * step;
}

function getUnitFormat(unit: TimeUnit): Intl.NumberFormat {
  return new Intl.NumberFormat(env.language, { style: 'unit', unit, unitDisplay: 'short' });
}
