import * as l10n from '@vscode/l10n';
import type { VNode } from 'preact';
import type { ProgressSample } from '../../core/model/transferModel.ts';
import type { PageTransfer } from '../messages/transferMessages.ts';
import { DataTable, Fold, Section } from '../shared/elements.tsx';
import { usePage } from '../shared/pageContext.ts';
import { getChartRange, getProgressCounts, hasChart, toLinePath, type ChartRange } from './transferProgress.ts';

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
      <Chart series={movement} range={range} />
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

function Chart({ series, range }: ChartProps): VNode {
  const { format } = usePage();
  const { from, to, most } = range;
  const moved = format.number(series.at(-1)?.moved ?? 0);
  const [start, end] = [format.dateTime(from), format.dateTime(to)];
  const line = toLinePath(series, range, width, height);
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
        <path class="area" d={`${line}V${height}H${/^M([\d.-]+)/.exec(line)?.[1] ?? '0'}Z`} />
        <path class="line" d={line} />
      </svg>
      <figcaption aria-hidden="true">
        <span>{format.time(from, to)}</span>
        <span>{format.time(to, to)}</span>
      </figcaption>
    </figure>
  );
}
