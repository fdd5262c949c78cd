import * as l10n from '@vscode/l10n';
import type { VNode } from 'preact';
import type { ProgressSample, TransferBytes, TransferState } from '../../core/model/transferModel.ts';
import type { PageTransfer } from '../messages/transferMessages.ts';
import { DataTable, Fold, Icon, Section, ServerText, type IconName } from '../shared/elements.tsx';
import type { Format } from '../shared/format.ts';
import { usePage } from '../shared/pageContext.ts';
import {
  getChartRange,
  getProgressCounts,
  hasChart,
  listTimeline,
  toLinePath,
  type ChartRange,
  type TimelineEntry,
} from './transferProgress.ts';

/** The appearance of a transfer: either that of its state or one of three special cases. */
type Look = TransferState | 'partial' | 'paused' | 'pausedByUser';

const lookIcons: Readonly<Record<Look, IconName>> = {
  partial: 'warning',
  paused: 'pause',
  pausedByUser: 'pause',
  submitting: 'running',
  notConfirmed: 'question',
  refused: 'cross',
  accepted: 'watch',
  staging: 'cloud',
  active: 'running',
  finalizing: 'list',
  inactive: 'pause',
  unknown: 'question',
  running: 'running',
  succeeded: 'check',
  failed: 'cross',
  cancelled: 'stop',
  expired: 'history',
};

/** States in which a transfer is making progress, even if the server doesn't report any. */
const movingStates: ReadonlySet<TransferState> = new Set([
  'submitting',
  'accepted',
  'staging',
  'active',
  'finalizing',
  'running',
]);

interface TransferProps {
  readonly transfer: PageTransfer;
}

/** Renders the status as an icon with text. */
export function StatusBadge({ transfer }: TransferProps): VNode {
  const look = getLook(transfer);
  return (
    <p class={`state ${look}`}>
      <Icon name={lookIcons[look]} />
      <ServerText>{transfer.statusText}</ServerText>
    </p>
  );
}

/** Returns the appearance of a transfer, which differs from its state if it is paused or files are missing. */
function getLook({ state, status, outcome, paused, ended }: PageTransfer): Look {
  if (paused) return 'paused';
  if (status?.isPaused && !ended) return 'pausedByUser';
  return outcome === 'partial' ? 'partial' : state;
}

/** Renders a progress bar for the transferred files, with a text equivalent. */
export function ProgressSection({ transfer }: TransferProps): VNode {
  const { format } = usePage();
  const { moved, total, share, bytes } = getProgressCounts(transfer);
  const look = getLook(transfer);
  const isWaiting = share === undefined && !transfer.paused && movingStates.has(transfer.state);
  const files = format.plural(total, '{0} file', '{0} files');
  const counted = moved === undefined ? files : l10n.t('{0} of {1}', format.number(moved), files);
  const words = bytes ? `${counted} · ${describeBytes(bytes, transfer.state, format)}` : counted;
  const percent = share === undefined ? undefined : format.percent(share);
  return (
    <Section name="progress" heading={l10n.t('Progress')}>
      <div
        class={isWaiting ? `bar ${look} waiting` : `bar ${look}`}
        role="progressbar"
        aria-label={bytes ? l10n.t('Data transferred') : l10n.t('Files transferred')}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={share === undefined ? undefined : Math.floor(share * 100)}
        aria-valuetext={percent === undefined ? l10n.t('{0}, no progress reported', words) : `${words}, ${percent}`}
      >
        <div class="fill" style={{ width: `${(share ?? 0) * 100}%` }} />
      </div>
      <p class="counts">
        <span>{words}</span>
        {percent !== undefined && <span class="percent">{percent}</span>}
      </p>
    </Section>
  );
}

function describeBytes(
  { total, staged, copied, verified }: TransferBytes,
  state: TransferState,
  format: Format,
): string {
  if (state === 'staging' && staged !== undefined)
    return l10n.t('{0} of {1} staged', ...format.byteProgress(staged, total));
  const [done, all] = format.byteProgress(copied, total);
  return verified === undefined
    ? l10n.t('{0} of {1} copied', done, all)
    : l10n.t('{0} of {1} copied, {2} verified', done, all, format.size(verified));
}

interface HistoryProps extends TransferProps {
  /** The host's time, in milliseconds since 1970. */
  readonly now: number;
  readonly toStateText: (state: TransferState) => string;
}

/** Renders the states that the transfer has gone through and any accepted cancellation. */
export function HistorySection(props: HistoryProps): VNode | null {
  const entries = listTimeline(props.transfer, props.now);
  if (entries.length === 0) return null;
  return (
    <Section name="history" heading={l10n.t('Status history')}>
      <ol class="timeline">
        {entries.map((entry) => (
          <HistoryRow key={entry.key} {...props} entry={entry} />
        ))}
      </ol>
    </Section>
  );
}

function HistoryRow({ entry, transfer, now, toStateText }: HistoryProps & { readonly entry: TimelineEntry }): VNode {
  const { format } = usePage();
  const { event, at, durationMs, isCurrent, word } = entry;
  const isCancel = event === 'cancelAccepted';
  const look = isCurrent || isCancel ? getLook(transfer) : event;
  // The latest word of the service is newer than the last one in the history, of which only a number are kept.
  const stateText = isCancel ? l10n.t('cancellation accepted') : toStateText(event);
  const text = isCurrent ? stateText : (word ?? stateText);
  return (
    <li class={isCurrent ? `current ${look}` : event} aria-current={isCurrent ? 'step' : undefined}>
      <Icon name={isCancel ? 'stop' : lookIcons[look]} />
      <ServerText class="name">{text}</ServerText>
      <time datetime={new Date(at).toISOString()} title={format.dateTime(at)}>
        {format.time(at, now)}
      </time>
      <span class="lasted">{durationMs !== undefined && !isCurrent && format.duration(durationMs)}</span>
    </li>
  );
}

const width = 600;
const height = 120;

interface ProgressChartProps {
  readonly transfer: PageTransfer;
  /** The host's time, in milliseconds since 1970. */
  readonly now: number;
}

/**
 * Renders the number of transferred files over time as a line and as a table. Renders nothing for a transfer that has
 * run for less than a minute, has only one file, or has fewer than two samples.
 */
export function ProgressChart({ transfer, now }: ProgressChartProps): VNode | null {
  const { format } = usePage();
  const { movement = [], createdAt, changes, ended } = transfer;
  if (!hasChart(transfer, now)) return null;
  const end = ended ? (changes.at(-1)?.at ?? now) : now;
  const range = getChartRange(movement, getProgressCounts(transfer).total, createdAt, end);
  const rows = movement.map(({ at, moved }) => [
    <time datetime={new Date(at).toISOString()}>{format.time(at, now)}</time>,
    format.number(moved),
  ]);
  return (
    <Section name="movement" heading={l10n.t('Files over time')}>
      <ChartFigure series={movement} range={range} />
      <Fold path="movement" class="numbers" summary={l10n.t('Show numbers')}>
        <DataTable headers={[l10n.t('Time'), l10n.t('Files transferred')]} rows={rows} />
      </Fold>
    </Section>
  );
}

interface ChartProps {
  readonly series: readonly ProgressSample[];
  readonly range: ChartRange;
}

function ChartFigure({ series, range }: ChartProps): VNode {
  const { format } = usePage();
  const { from, to, most } = range;
  const moved = format.number(series.at(-1)?.moved ?? 0);
  const [start, end] = [format.dateTime(from), format.dateTime(to)];
  const line = toLinePath(series, range, width, height);
  const firstX = /^M([\d.-]+)/.exec(line)?.[1] ?? '0';
  return (
    <figure class="chart">
      <span class="most" aria-hidden="true">
        {format.number(most)}
      </span>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={l10n.t(
          'Files transferred: {0} of {1}, between {2} and {3}',
          moved,
          format.number(most),
          start,
          end,
        )}
      >
        <path class="area" d={`${line}V${height}H${firstX}Z`} />
        <path class="line" d={line} />
      </svg>
      <figcaption aria-hidden="true">
        <span>{format.time(from, to)}</span>
        <span>{format.time(to, to)}</span>
      </figcaption>
    </figure>
  );
}
