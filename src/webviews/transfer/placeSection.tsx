import * as l10n from '@vscode/l10n';
import type { VNode } from 'preact';
import type { PageTransfer, TransferIntent } from '../messages/transferMessages.ts';
import { ActionButtons, Section, ServerText } from '../shared/elements.tsx';
import { filterActions } from '../shared/note.ts';
import { shortenText } from '../shared/text.ts';

const maxPathLength = 1000;

interface PlaceProps {
  readonly transfer: PageTransfer;
  readonly send: (intent: TransferIntent) => void;
}

/** Renders the location of the transferred files, the result of their verification, and action buttons. */
export function PlaceSection({ transfer: { place }, send }: PlaceProps): VNode | null {
  if (place === undefined) return null;
  const { folder, revealLabel, verified, hasReport, canResend, missing } = place;
  const isHere = revealLabel !== undefined;
  const actions = filterActions([
    { intent: 'showFiles', label: l10n.t('Show Files'), isPrimary: true },
    isHere && { intent: 'revealFolder', label: revealLabel },
    isHere && { intent: 'verifyFiles', label: l10n.t('Verify Files') },
    hasReport === true && { intent: 'showReport', label: l10n.t('Show Report') },
    canResend === true && { intent: 'resendFiles', label: l10n.t('Transfer Missing or Changed Files Again…') },
    !isHere && { intent: 'copyFolder', label: l10n.t('Copy Folder Name') },
    { intent: 'cite', label: l10n.t('Cite…') },
  ]);
  return (
    <Section name="place" heading={isHere ? l10n.t('Folder') : l10n.t('Folder at the destination')}>
      <p class="path">
        <ServerText class="code">{shortenText(folder, maxPathLength)}</ServerText>
      </p>
      {(isHere || verified !== undefined) && <p class="verified">{verified ?? l10n.t('Not verified yet.')}</p>}
      {missing !== undefined && (
        <p class="missing">
          <ServerText>{missing}</ServerText>
        </p>
      )}
      <div class="actions" role="group" aria-label={l10n.t('Transferred Files')}>
        <ActionButtons actions={actions} onAction={(type) => send({ type })} />
      </div>
    </Section>
  );
}
