import * as l10n from '@vscode/l10n';
import type { MovementPoint } from '../../core/model/movement.ts';
import { element, section } from '../shared/dom.ts';
import type { Format } from '../shared/format.ts';
import { svgElement } from '../shared/icons.ts';
import type { ViewState } from '../shared/viewState.ts';
import { movementOf } from './movement.ts';
import { frameOf, linePath, type Frame } from './movementLine.ts';
import type { TransferView } from './sections.ts';

const width = 600;
const height = 120;
const numbersPath = 'movement';

/** How the files came over time: a line, and the same in numbers. Nothing until there is more than one count. */
export function movementSection({ transfer, now, format }: TransferView, view: ViewState): HTMLElement | undefined {
  const { movement = [], createdAt, changes, ended } = transfer;
  if (movement.length < 2) return undefined;
  const end = ended ? (changes.at(-1)?.at ?? now) : now;
  const frame = frameOf(movement, movementOf(transfer).total, createdAt, end);
  const heading = l10n.t('Files over time');
  return section('movement', heading, figure(movement, frame, format), numbers(movement, now, format, view));
}

function figure(series: readonly MovementPoint[], frame: Frame, format: Format): HTMLElement {
  const last = series.at(-1)?.moved ?? 0;
  const spoken = l10n.t(
    'Files moved: {0} of {1}, from {2} to {3}',
    format.number(last),
    format.number(frame.most),
    format.dateTime(frame.from),
    format.dateTime(frame.to),
  );
  return element(
    'figure',
    { class: 'chart' },
    element('span', { class: 'most', 'aria-hidden': 'true' }, format.number(frame.most)),
    drawing(linePath(series, frame, width, height), spoken),
    element(
      'figcaption',
      { 'aria-hidden': 'true' },
      element('span', {}, format.time(frame.from, frame.to)),
      element('span', {}, format.time(frame.to, frame.to)),
    ),
  );
}

function drawing(line: string, spoken: string): SVGElement {
  const start = /^M([\d.-]+)/.exec(line)?.[1] ?? '0';
  return svgElement(
    'svg',
    {
      viewBox: `0 0 ${width} ${height}`,
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': spoken,
    },
    svgElement('path', { class: 'area', d: `${line}V${height}H${start}Z` }),
    svgElement('path', { class: 'line', d: line }),
  );
}

/** The same for those who read rather than see, and for those who want to know exactly. */
function numbers(series: readonly MovementPoint[], now: number, format: Format, view: ViewState): HTMLElement {
  const isOpen = view.isOpen(numbersPath);
  const summary = element('summary', {}, l10n.t('Show the numbers'));
  const details = element('details', { class: 'numbers', 'data-path': numbersPath, open: isOpen }, summary);
  if (isOpen) details.append(table(series, now, format));
  return details;
}

function table(series: readonly MovementPoint[], now: number, format: Format): HTMLElement {
  const head = element(
    'tr',
    {},
    element('th', { scope: 'col' }, l10n.t('Time')),
    element('th', { scope: 'col' }, l10n.t('Files moved')),
  );
  const rows = series.map(({ at, moved }) =>
    element(
      'tr',
      {},
      element('td', {}, element('time', { datetime: new Date(at).toISOString() }, format.time(at, now))),
      element('td', {}, format.number(moved)),
    ),
  );
  return element('table', {}, element('thead', {}, head), element('tbody', {}, ...rows));
}
