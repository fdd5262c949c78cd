import * as l10n from '@vscode/l10n';
import type { VNode } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { TransferFile } from '../../core/model/transferModel.ts';
import { getCopyFolderLabel, getFolderLabel } from '../../core/words/sharedSentences.ts';
import type { PageFact, PageTransfer, TransferIntent } from '../messages/transferMessages.ts';
import { ActionGroup, Fact, Link, NoteBox, Section, ServerText, ShowMore } from '../shared/elements.tsx';
import type { Format } from '../shared/format.ts';
import { readIdentifier, shortenText, toReadableText } from '../shared/text.ts';
import { JsonTree } from '../shared/jsonTree.tsx';
import { filterActions, type Action } from '../shared/note.ts';
import { usePage } from '../shared/pageContext.ts';
import { getElapsedMs } from './transferProgress.ts';

const initialFiles = 200;
const maxTextLength = 1000;

interface TransferProps {
  readonly transfer: PageTransfer;
}

/** Renders the server's message as plain text. */
export function MessageSection({ transfer }: TransferProps): VNode | null {
  const message = toReadableText(transfer.status?.message);
  if (message === undefined) return null;
  return (
    <Section name="message" heading={l10n.t('Server message')}>
      <blockquote>
        <ServerText>{shortenText(message, 10_000)}</ServerText>
      </blockquote>
    </Section>
  );
}

interface FilesProps extends TransferProps {
  /** All requested files; undefined until the host has sent them. */
  readonly allFiles: readonly TransferFile[] | undefined;
  readonly requestFiles: () => void;
}

/** Renders the first requested files, in the order of the request, and more on demand. */
export function FilesSection({ transfer, allFiles, requestFiles }: FilesProps): VNode | null {
  const { format, view } = usePage();
  const total = transfer.requestedFileCount;
  const files = (allFiles ?? transfer.firstFiles).slice(0, view.getLimit('files', initialFiles));
  // The files of a transfer never change, so rows are rendered again only when more are shown or the format changes.
  const rows = useMemo(() => files.map((file) => <FileRow file={file} />), [files.length, format]);
  if (total === 0) return null;
  return (
    <Section name="files" heading={l10n.t('Files')}>
      <ul class="files">{rows}</ul>
      {files.length < total && (
        <ShowMore
          path="files"
          shown={files.length}
          total={total}
          onClick={allFiles === undefined ? requestFiles : undefined}
        />
      )}
    </Section>
  );
}

function FileRow({ file: { id, name, sizeBytes } }: { readonly file: TransferFile }): VNode {
  const { format } = usePage();
  return (
    <li>
      <span class="name">
        <ServerText>{shortenText(name, maxTextLength)}</ServerText>
        {name !== id && ' '}
        {name !== id && <ServerText class="id code">{shortenText(id, maxTextLength)}</ServerText>}
      </span>
      {sizeBytes !== undefined && (
        <span class="size" title={format.exactSize(sizeBytes)}>
          {format.size(sizeBytes)}
        </span>
      )}
    </li>
  );
}

/** Renders the licenses, each with its number of files, and warnings about licenses that forbid redistribution. */
export function LicensesSection({ transfer: { licenses = [] } }: TransferProps): VNode | null {
  if (licenses.length === 0) return null;
  const warnings = licenses.flatMap(({ warning }) => warning ?? []);
  return (
    <Section name="licenses" heading={l10n.t('Licenses')}>
      <ul class="plain">
        {licenses.map(({ name, url, files }) => (
          <li>
            <Link address={url}>{shortenText(name, maxTextLength)}</Link>
            {` · ${files}`}
          </li>
        ))}
      </ul>
      {warnings.map((text) => (
        <NoteBox note={{ key: text, kind: 'warning', text }} onAction={() => undefined} />
      ))}
    </Section>
  );
}

/** Renders the instructions of a transfer as a collapsible tree. */
export function InstructionsSection({ transfer }: TransferProps): VNode | null {
  const { instructions } = transfer.order;
  if (instructions === undefined) return null;
  return (
    <Section name="instructions" heading={l10n.t('Instructions')}>
      <JsonTree path="instructions" value={instructions} />
    </Section>
  );
}

const maxPathLength = 1000;

interface PlaceProps {
  readonly transfer: PageTransfer;
  readonly send: (intent: TransferIntent) => void;
}

/**
 * Lists the next steps after a transfer, which the header of a succeeded one begins with. Returns an empty list until
 * it is known that there are files.
 */
export function listFileActions({ place }: PageTransfer): readonly Action<'showFiles' | 'verifyFiles' | 'cite'>[] {
  if (place === undefined) return [];
  return filterActions([
    { intent: 'showFiles', label: l10n.t('Show Files'), isPrimary: true },
    place.revealLabel !== undefined && { intent: 'verifyFiles', label: l10n.t('Verify Files') },
    { intent: 'cite', label: l10n.t('Cite…') },
  ]);
}

/** Renders the location of the transferred files, the result of their verification, and action buttons. */
export function PlaceSection({ transfer, send }: PlaceProps): VNode | null {
  const { place } = transfer;
  if (place === undefined) return null;
  const { folder, revealLabel, verified, hasReport, canResend, missing } = place;
  const isHere = revealLabel !== undefined;
  const nextSteps = transfer.state === 'succeeded' ? [] : listFileActions(transfer);
  const actions = filterActions([
    isHere && { intent: 'revealFolder', label: revealLabel },
    hasReport === true && { intent: 'showReport', label: l10n.t('Show Report') },
    canResend === true && { intent: 'resendFiles', label: l10n.t('Transfer Missing or Changed Files Again…') },
    !isHere && { intent: 'copyFolder', label: getCopyFolderLabel(l10n) },
  ]);
  return (
    <Section name="place" heading={isHere ? l10n.t('Folder') : getFolderLabel(l10n)}>
      <p class="path">
        <ServerText class="code">{shortenText(folder, maxPathLength)}</ServerText>
      </p>
      {(isHere || verified !== undefined) && <p class="verified">{verified ?? l10n.t('Not verified yet.')}</p>}
      {missing !== undefined && (
        <p class="missing">
          <ServerText>{missing}</ServerText>
        </p>
      )}
      <ActionGroup
        label={l10n.t('Transferred Files')}
        actions={[...nextSteps, ...actions]}
        onAction={(type) => send({ type })}
      />
    </Section>
  );
}

const tickMs = 1000;

interface ClockProps extends TransferProps {
  /** Returns the host's time, in milliseconds since 1970. */
  readonly getNow: () => number;
}

/** Renders the facts about a transfer. Omits unknown facts. */
export function FactStrip({ transfer, getNow }: ClockProps): VNode {
  const { format } = usePage();
  const now = getNow();
  const orcid = readIdentifier(transfer.order.orcid);
  const { facts, state, ended, startedElsewhere, wasSent } = transfer;
  // The duration of an expired transfer is unknown.
  const hasDuration = wasSent && state !== 'expired';
  return (
    <dl class="facts">
      {hasDuration && (
        <Fact label={ended ? l10n.t('Duration') : l10n.t('Elapsed')}>
          <ElapsedTime transfer={transfer} getNow={getNow} />
        </Fact>
      )}
      <EstimateFact transfer={transfer} />
      {!startedElsewhere && <Fact label={l10n.t('Files requested')}>{formatRequestedFiles(transfer, format)}</Fact>}
      {wasSent && state !== 'submitting' && !startedElsewhere && (
        <Fact label={l10n.t('Submitted by')}>{<Link address={orcid.address}>{orcid.text}</Link>}</Fact>
      )}
      {facts.map((fact) => (
        <SharedFact fact={fact} now={now} />
      ))}
    </dl>
  );
}

function SharedFact({ fact, now }: { readonly fact: PageFact; readonly now: number }): VNode {
  const { format } = usePage();
  if ('at' in fact)
    return (
      <Fact label={fact.label} exact={format.dateTime(fact.at)}>
        {format.time(fact.at, now)}
      </Fact>
    );
  return (
    <Fact label={fact.label} isWide={fact.isCode === true}>
      <ServerText class={fact.isCode ? 'code' : undefined}>{fact.text}</ServerText>
    </Fact>
  );
}

/** Renders the elapsed time of a transfer and updates it every second until the transfer ends. */
function ElapsedTime({ transfer, getNow }: ClockProps): VNode {
  const [, setTicks] = useState(0);
  useEffect(() => {
    if (transfer.ended) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) setTicks((ticks) => ticks + 1);
    }, tickMs);
    return () => clearInterval(timer);
  }, [transfer.ended]);
  return <>{usePage().format.duration(getElapsedMs(transfer, getNow()))}</>;
}

function formatRequestedFiles({ requestedFileCount, sizeBytes }: PageTransfer, format: Format): string {
  const count = format.number(requestedFileCount);
  return sizeBytes === undefined ? count : `${count} · ${format.size(sizeBytes)}`;
}

function EstimateFact({ transfer: { estimate } }: TransferProps): VNode | null {
  if (estimate === undefined) return null;
  const { text, basis, isStalled } = estimate;
  return (
    <Fact label={isStalled ? l10n.t('Last progress') : l10n.t('Estimate')}>
      <span>
        {text} {basis !== undefined && <span class="basis">{basis}</span>}
      </span>
    </Fact>
  );
}
