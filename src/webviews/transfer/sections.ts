import * as l10n from '@vscode/l10n';
import type { TransferFile, TransferState } from '../../core/model/transfer.ts';
import type { PageTransfer } from '../../messages/transferMessages.ts';
import { element, foreign, link, section, type Child } from '../shared/dom.ts';
import type { Format } from '../shared/format.ts';
import { icon, type IconName } from '../shared/icons.ts';
import { readIdentifier } from '../shared/identifiers.ts';
import { jsonTree } from '../shared/jsonTree.ts';
import { markdown } from '../shared/markdown.ts';
import { moreButton } from '../shared/more.ts';
import { readable, shortened } from '../shared/text.ts';
import type { ViewState } from '../shared/viewState.ts';
import { movementOf } from './movement.ts';
import { elapsedMs, timelineOf, type Stretch } from './timeline.ts';

const longestText = 1000;

/** What the parts of the page are made from. */
export interface TransferView {
  readonly transfer: PageTransfer;
  /** The host's time now, in milliseconds since 1970. */
  readonly now: number;
  readonly format: Format;
  /** The word for a state; for one that only the server knows, the server's own. */
  readonly word: (state: TransferState) => string;
}

/** The look of a transfer: that of its state, or one of two others. */
type Look = TransferState | 'partial' | 'paused';

const lookIcons: Readonly<Record<Look, IconName>> = {
  partial: 'warning',
  paused: 'pause',
  submitting: 'running',
  notConfirmed: 'question',
  refused: 'cross',
  accepted: 'clock',
  staging: 'cloud',
  active: 'running',
  finalizing: 'list',
  inactive: 'pause',
  unknown: 'question',
  running: 'running',
  succeeded: 'check',
  failed: 'cross',
  cancelled: 'stop',
  expired: 'clock',
};

/** States in which something is being done, even where the server does not count it. */
const movingStates: ReadonlySet<TransferState> = new Set([
  'submitting',
  'accepted',
  'staging',
  'active',
  'finalizing',
  'running',
]);

/** The state, as an icon and a word. */
export function stateBadge({ transfer }: TransferView): HTMLElement {
  const look = lookOf(transfer);
  return element(
    'p',
    { 'data-key': 'state', class: `state ${look}` },
    icon(lookIcons[look]),
    foreign(transfer.statusText),
  );
}

/** Returns the style and icon of a transfer: those of its state, unless it is paused or ended without all its files. */
function lookOf({ state, outcome, paused }: PageTransfer): Look {
  if (paused) return 'paused';
  return outcome === 'partial' ? 'partial' : state;
}

/** The bar of files moved, with the same in words. The bar's width is set by {@link fillBar}. */
export function progressSection({ transfer, format }: TransferView): HTMLElement | undefined {
  const { moved, total, share } = movementOf(transfer);
  const look = lookOf(transfer);
  const isWaiting = share === undefined && !transfer.paused && movingStates.has(transfer.state);
  const words =
    moved === undefined
      ? filesText(total, format)
      : l10n.t('{0} of {1}', format.number(moved), filesText(total, format));
  const percent = share === undefined ? undefined : format.percent(share);
  const spoken = percent === undefined ? l10n.t('{0}, none counted yet', words) : `${words}, ${percent}`;
  const bar = element(
    'div',
    {
      class: isWaiting ? `bar ${look} waiting` : `bar ${look}`,
      role: 'progressbar',
      'aria-label': l10n.t('Files moved'),
      'aria-valuemin': '0',
      'aria-valuemax': '100',
      'aria-valuenow': share === undefined ? undefined : String(Math.floor(share * 100)),
      'aria-valuetext': spoken,
    },
    element('div', { class: 'fill', 'data-share': String(share ?? 0) }),
  );
  const line = element(
    'p',
    { class: 'counts' },
    element('span', {}, words),
    percent === undefined ? undefined : element('span', { class: 'percent' }, percent),
  );
  return section('progress', l10n.t('Progress'), bar, line);
}

/** Sets the width of the bar: a policy without inline styles lets only the script do that. */
export function fillBar(root: HTMLElement): void {
  const fill = root.querySelector<HTMLElement>('.bar .fill');
  fill?.style.setProperty('width', `${Number(fill.dataset['share']) * 100}%`);
}

function filesText(count: number, format: Format): string {
  return format.plural(count, '{0} file', '{0} files');
}

/** What can be said in a word each. What is not known is left out. */
export function factsStrip({ transfer, now, format }: TransferView): HTMLElement {
  const { askedAt, createdAt, id, startedElsewhere } = transfer;
  const begun = startedElsewhere ? l10n.t('Watched since') : l10n.t('Submitted');
  const rows = [
    transfer.state === 'expired'
      ? undefined // How long it took is not known.
      : fact('elapsed', transfer.ended ? l10n.t('Took') : l10n.t('Elapsed'), elapsedText(transfer, now, format)),
    estimateFact(transfer),
    startedElsewhere ? undefined : filesFact(transfer, format),
    fact('started', begun, format.time(createdAt, now), format.dateTime(createdAt)),
    askedAt === undefined
      ? undefined
      : fact('asked', l10n.t('Last updated'), format.time(askedAt, now), format.dateTime(askedAt)),
    startedElsewhere ? undefined : submitterFact(transfer),
    id === undefined ? undefined : fact('id', l10n.t('Transfer id'), foreign(shortened(id, 300), 'code')),
  ];
  return element('dl', { 'data-key': 'facts', class: 'facts' }, ...rows);
}

function filesFact({ askedFileCount, sizeBytes }: PageTransfer, format: Format): HTMLElement {
  const size = sizeBytes === undefined ? undefined : format.size(sizeBytes);
  return fact('files', l10n.t('Files requested'), [format.number(askedFileCount), size].filter(Boolean).join(' · '));
}

function submitterFact({ order }: PageTransfer): HTMLElement {
  const orcid = readIdentifier(order.orcid);
  return fact('orcid', l10n.t('Submitted by'), link(orcid.text, orcid.address));
}

/** A standstill is no time left, but it stands in the same place. */
function estimateFact({ estimate }: PageTransfer): HTMLElement | undefined {
  if (estimate === undefined) return undefined;
  const basis = estimate.basis === undefined ? undefined : element('span', { class: 'basis' }, estimate.basis);
  return fact('estimate', l10n.t('Estimate'), element('span', {}, estimate.text, basis && ' ', basis));
}

/** How long the transfer has been under way; the page renews it every second. */
export function elapsedText(transfer: PageTransfer, now: number, format: Format): string {
  return format.duration(elapsedMs(transfer, now));
}

function fact(key: string, label: string, value: Child, exact?: string): HTMLElement {
  const isWide = key === 'id';
  return element(
    'div',
    { 'data-key': key, class: isWide ? 'fact wide' : 'fact' },
    element('dt', {}, label),
    element('dd', { 'data-live': key, title: exact }, value),
  );
}

/** What the server said, word for word. */
export function messageSection({ transfer }: TransferView): HTMLElement | undefined {
  const message = readable(transfer.status?.message);
  if (message === undefined) return undefined;
  const text = foreign(shortened(message, 10_000));
  return section('message', l10n.t('Message of the server'), element('blockquote', {}, text));
}

/** The states it went through. */
export function historySection(view: TransferView): HTMLElement | undefined {
  const stretches = timelineOf(view.transfer, view.now);
  if (stretches.length === 0) return undefined;
  const rows = stretches.map((stretch) => stretchRow(stretch, view));
  return section('history', l10n.t('History'), element('ol', { class: 'timeline' }, ...rows));
}

function stretchRow(
  { key, what, at, durationMs, isCurrent }: Stretch,
  { transfer, word, format, now }: TransferView,
): HTMLElement {
  const look = isCurrent || what === 'cancelAccepted' ? lookOf(transfer) : what;
  const name = what === 'cancelAccepted' ? l10n.t('cancel accepted') : word(what);
  const lasted = durationMs === undefined || isCurrent ? undefined : format.duration(durationMs);
  return element(
    'li',
    { 'data-key': key, class: isCurrent ? `current ${look}` : what, 'aria-current': isCurrent ? 'step' : undefined },
    icon(what === 'cancelAccepted' ? 'stop' : lookIcons[look]),
    foreign(name, 'name'),
    element('time', { datetime: new Date(at).toISOString(), title: format.dateTime(at) }, format.time(at, now)),
    element('span', { class: 'lasted' }, lasted),
  );
}

/** The files asked for, in the order asked: the first ones, until the person wants more. */
export function filesSection(
  { transfer, format }: TransferView,
  files: readonly TransferFile[],
  limit: number,
): HTMLElement | undefined {
  const total = transfer.askedFileCount;
  if (total === 0) return undefined;
  const shown = files.slice(0, limit);
  // The files of a transfer never change: rows that are there need not be made again.
  const list = element(
    'ul',
    { class: 'files', 'data-memo': String(shown.length) },
    ...shown.map((file) => fileRow(file, format)),
  );
  const more = shown.length < total ? moreButton('files', shown.length, total, format) : undefined;
  return section('files', l10n.t('Files'), list, more);
}

function fileRow({ id, name, sizeBytes }: TransferFile, format: Format): HTMLElement {
  return element(
    'li',
    {},
    element(
      'span',
      { class: 'name' },
      foreign(shortened(name, longestText)),
      name === id ? undefined : ' ',
      name === id ? undefined : foreign(shortened(id, longestText), 'id code'),
    ),
    sizeBytes === undefined
      ? undefined
      : element('span', { class: 'size', title: format.exactSize(sizeBytes) }, format.size(sizeBytes)),
  );
}

/** The description that was sent along, as Markdown. */
export function descriptionSection({ transfer }: TransferView): HTMLElement | undefined {
  const source = readable(transfer.order.description);
  return section('description', l10n.t('Description'), source === undefined ? undefined : markdown(source));
}

/** The instructions that were sent along, as a tree that unfolds. */
export function instructionsSection({ transfer, format }: TransferView, view: ViewState): HTMLElement | undefined {
  const { instructions } = transfer.order;
  if (instructions === undefined) return undefined;
  const tree = jsonTree({ path: 'instructions', value: instructions }, view, format);
  return section('instructions', l10n.t('Instructions'), tree);
}
