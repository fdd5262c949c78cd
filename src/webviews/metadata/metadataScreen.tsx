import * as l10n from '@vscode/l10n';
import type { VNode } from 'preact';
import type { FileEntry } from '../../core/model/fileEntry.ts';
import {
  isMetadataHostMessage,
  type MetadataHostMessage,
  type MetadataIntent,
  type MetadataPageState,
  type MetadataSnapshot,
} from '../messages/metadataMessages.ts';
import { DescriptionSection } from '../shared/markdown.tsx';
import { ActionButtons, NoteBox, ServerText } from '../shared/elements.tsx';
import { filterActions } from '../shared/note.ts';
import type { PageDefinition } from '../shared/pageApp.tsx';
import { usePage } from '../shared/pageContext.ts';
import { shortenText, toVisibleText } from '../shared/text.ts';
import {
  CiteSection,
  CreditSection,
  FactStrip,
  LicensesSection,
  OtherFieldsSection,
  SchemaSection,
  SourcesSection,
} from './metadataSections.tsx';
import { listFacts } from './facts.ts';
import { describeMetadataChange, listMetadataNotes } from './metadataNotes.ts';

const maxHeadingLength = 300;
const maxRawLength = 100_000;
/** Maximum length of the saved state, in characters of JSON. */
const maxSavedLength = 200_000;

/** The metadata page. */
export const metadataScreen: PageDefinition<MetadataHostMessage, MetadataSnapshot, MetadataIntent> = {
  isMessage: isMetadataHostMessage,
  update: (_, { snapshot }) => snapshot,
  getSubject: ({ ref }) => JSON.stringify([ref.connectionId, ref.database, ref.id]),
  getSavedState,
  describeChange: describeMetadataChange,
  isBusy: ({ loading }) => loading,
  render: (snapshot, send) => <MetadataScreen snapshot={snapshot} send={send} />,
};

/** Returns the state that a page shows immediately after a reload, before a connection is open. */
function getSavedState({ ref, kept, staging, found, receivedAt, loading }: MetadataSnapshot): MetadataPageState {
  const state: MetadataPageState = {
    ref: { ...ref, name: shortenText(ref.name, maxHeadingLength) },
    kept,
    ...(staging && { staging }),
  };
  if (found === undefined || receivedAt === undefined || loading) return state;
  const whole: MetadataPageState = { ...state, found, receivedAt };
  return JSON.stringify(whole).length < maxSavedLength ? whole : state;
}

interface ScreenProps {
  readonly snapshot: MetadataSnapshot;
  readonly send: (intent: MetadataIntent) => void;
}

function MetadataScreen({ snapshot, send }: ScreenProps): VNode {
  const { found, loading } = snapshot;
  return (
    <>
      <div class={loading ? 'busy on' : 'busy'} aria-hidden="true" />
      <Header snapshot={snapshot} send={send} />
      {listMetadataNotes(snapshot, usePage().format).map((note) => (
        <NoteBox key={note.key} note={note} onAction={(type) => send({ type })} />
      ))}
      {loading && found === undefined && <p class="loading">{l10n.t('Loading metadata…')}</p>}
      {found?.kind === 'file' && <FileSections snapshot={snapshot} file={found} send={send} />}
      {found?.kind === 'unreadable' && (
        <pre>
          <ServerText>{shortenText(found.text, maxRawLength)}</ServerText>
        </pre>
      )}
    </>
  );
}

function listActions(isKept: boolean) {
  return filterActions([
    { intent: 'transfer', label: l10n.t('Transfer…'), isPrimary: true },
    { intent: 'copyId', label: l10n.t('Copy ID') },
    { intent: 'showJson', label: l10n.t('Show as JSON') },
    !isKept && { intent: 'keep', label: l10n.t('Keep Open') },
  ]);
}

function Header({ snapshot, send }: ScreenProps): VNode {
  const { ref, kept, found } = snapshot;
  const heading = getHeading(snapshot);
  const path = found?.kind === 'file' && found.path !== heading ? found.path : undefined;
  const actions = listActions(kept);
  return (
    <header>
      <h1 tabindex={-1} title={heading.length > maxHeadingLength ? shortenText(heading, 3000) : undefined}>
        <ServerText>{shortenText(heading, maxHeadingLength)}</ServerText>
      </h1>
      <p class="where">
        {path !== undefined && <ServerText class="code">{shortenText(path, 1000)}</ServerText>}
        <span class="database">{l10n.t('in {0}', isolate(ref.database))}</span>
      </p>
      <div class="actions" role="group" aria-label={l10n.t('Actions')}>
        <ActionButtons actions={actions} onAction={(type) => send({ type })} />
      </div>
    </header>
  );
}

function FileSections({ snapshot, file, send }: ScreenProps & { readonly file: FileEntry }): VNode {
  const facts = listFacts(file, usePage().format, snapshot);
  return (
    <>
      <FactStrip facts={facts} onCopyHash={() => send({ type: 'copyHash' })} />
      <DescriptionSection text={file.description} />
      <SchemaSection file={file} />
      <SourcesSection file={file} />
      <LicensesSection file={file} />
      <CreditSection file={file} />
      <CiteSection citation={snapshot.citation} onCite={() => send({ type: 'cite' })} />
      <OtherFieldsSection file={file} heading={getHeading(snapshot)} />
    </>
  );
}

function getHeading({ ref, found }: MetadataSnapshot): string {
  if (found?.kind !== 'file') return ref.name;
  return found.title === undefined || found.title === '' ? found.name : found.title;
}

/** Isolates a name in a sentence, so that its writing direction does not affect the rest of the sentence. */
function isolate(name: string): string {
  return `\u2068${toVisibleText(shortenText(name, maxHeadingLength))}\u2069`;
}
