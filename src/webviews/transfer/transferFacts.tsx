import * as l10n from '@vscode/l10n';
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { PageTransfer } from '../messages/transferMessages.ts';
import { Fact, Link, ServerText } from '../shared/elements.tsx';
import type { Format } from '../shared/format.ts';
import { readIdentifier } from '../shared/identifiers.ts';
import { usePage } from '../shared/pageContext.ts';
import { shortenText } from '../shared/text.ts';
import { getElapsedMs } from './transferProgress.ts';

const tickMs = 1000;

interface TransferProps {
  readonly transfer: PageTransfer;
}

interface ClockProps extends TransferProps {
  /** Returns the host's time, in milliseconds since 1970. */
  readonly getNow: () => number;
}

/** Renders the facts about a transfer. Omits unknown facts. */
export function FactStrip({ transfer, getNow }: ClockProps): VNode {
  const { format } = usePage();
  const now = getNow();
  const orcid = readIdentifier(transfer.order.orcid);
  const { askedAt, createdAt, id, requestedBy, state, ended, startedElsewhere, wasSent } = transfer;
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
      {wasSent && (
        <Fact label={getStartLabel(transfer)} exact={format.dateTime(createdAt)}>
          {format.time(createdAt, now)}
        </Fact>
      )}
      {askedAt !== undefined && (
        <Fact label={l10n.t('Last checked')} exact={format.dateTime(askedAt)}>
          {format.time(askedAt, now)}
        </Fact>
      )}
      {wasSent && state !== 'submitting' && !startedElsewhere && (
        <Fact label={l10n.t('Submitted by')}>{<Link address={orcid.address}>{orcid.text}</Link>}</Fact>
      )}
      {requestedBy && (
        <Fact label={l10n.t('Requested by')}>
          <ServerText>{l10n.t('{0}, confirmed by you', shortenText(requestedBy.agent, 60))}</ServerText>
        </Fact>
      )}
      {id !== undefined && (
        <Fact label={l10n.t('Transfer ID')} isWide>
          <ServerText class="code">{shortenText(id, 300)}</ServerText>
        </Fact>
      )}
    </dl>
  );
}

function getStartLabel({ startedElsewhere, state }: PageTransfer): string {
  if (startedElsewhere) return l10n.t('Tracked since');
  return state === 'submitting' ? l10n.t('Submission started') : l10n.t('Submitted');
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
