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
import {
  ActionGroup,
  Button,
  DataTable,
  Fact as FactRow,
  Link,
  NoteBox,
  Section,
  ServerText,
  ShowMore,
} from '../shared/elements.tsx';
import { type Identifier, shortenText, toVisibleText } from '../shared/text.ts';
import { JsonTree } from '../shared/jsonTree.tsx';
import { DescriptionSection } from '../shared/markdown.tsx';
import { filterActions } from '../shared/note.ts';
import type { PageDefinition } from '../shared/pageApp.tsx';
import { usePage } from '../shared/pageContext.ts';
import {
  filterDefined,
  listLicenses,
  listSources,
  readCredit,
  splitCitation,
  type Contributor,
  type Credit,
  type CreditDate,
  type Reference,
  type RelatedIdentifier,
} from './credit.ts';
import {
  describeMetadataChange,
  listFacts,
  listMetadataNotes,
  listOtherFields,
  listSchemaFields,
  type Fact,
  type SchemaField,
} from './facts.ts';
import { PreviewSection } from './previewSection.tsx';

const initialFields = 200;
const maxCellLength = 1000;

interface FileProps {
  readonly file: FileEntry;
}

interface FactStripProps {
  readonly facts: readonly Fact[];
  readonly onCopyHash: () => void;
}

function FactStrip({ facts, onCopyHash }: FactStripProps): VNode | null {
  if (facts.length === 0) return null;
  return (
    <dl class="facts">
      {facts.map(({ key, label, text, exact, isCode = false }) => (
        <FactRow key={key} label={label} exact={exact} isWide={isCode} class={isCode ? 'code' : undefined}>
          <ServerText>{text}</ServerText>
          {key === 'hash' && <> </>}
          {key === 'hash' && (
            <Button kind="link" spoken={l10n.t('Copy {0}', label)} onClick={onCopyHash}>
              {l10n.t('Copy')}
            </Button>
          )}
        </FactRow>
      ))}
    </dl>
  );
}

interface Column {
  readonly title: string;
  readonly getText: (field: SchemaField) => string;
  readonly isCode?: boolean;
}

/** Renders the schema of a tabular file as a table with one row per column of the file. */
function SchemaSection({ file }: FileProps): VNode | null {
  const limit = usePage().view.getLimit('schema', initialFields);
  const fields = listSchemaFields(file);
  if (fields.length === 0) return null;
  const columns = listUsedColumns(fields);
  const rows = fields
    .slice(0, limit)
    .map((field) =>
      columns.map(({ getText, isCode }) => (
        <ServerText class={isCode ? 'code' : undefined}>{shortenText(getText(field), maxCellLength)}</ServerText>
      )),
    );
  return (
    <Section name="schema" heading={l10n.t('Schema')}>
      <div class="scrolling" tabindex={0} role="region" aria-label={l10n.t('Table columns')}>
        <DataTable headers={columns.map(({ title }) => title)} rows={rows} hasRowHeaders />
      </div>
      {fields.length > limit && <ShowMore path="schema" shown={limit} total={fields.length} />}
    </Section>
  );
}

function listUsedColumns(fields: readonly SchemaField[]): readonly Column[] {
  const columns: readonly Column[] = [
    { title: l10n.t('Name'), getText: ({ name }) => name, isCode: true },
    { title: l10n.t('Type'), getText: ({ type }) => type, isCode: true },
    { title: l10n.t('Description'), getText: ({ description }) => description },
    { title: l10n.t('Constraints'), getText: ({ constraints }) => constraints },
  ];
  return columns.filter(({ getText }) => fields.some((field) => getText(field) !== ''));
}

interface ReferenceSectionProps {
  readonly name: string;
  readonly heading: string;
  readonly references: readonly Reference[];
}

function ReferenceSection({ name, heading, references }: ReferenceSectionProps): VNode | null {
  if (references.length === 0) return null;
  return (
    <Section name={name} heading={heading}>
      <ul class="plain">
        {references.map(({ text, address, email }) => (
          <li>
            <Link address={address}>{shortenText(text, maxCellLength)}</Link>
            {email !== undefined && ' · '}
            {email !== undefined && <Link address={`mailto:${email}`}>{email}</Link>}
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface OtherFieldsProps extends FileProps {
  readonly heading: string;
}

function OtherFieldsSection({ file, heading }: OtherFieldsProps): VNode | null {
  const value = listOtherFields(file, listFacts(file, usePage().format), heading);
  if (Object.keys(value).length === 0) return null;
  return (
    <Section name="other" heading={l10n.t('Additional fields')}>
      <JsonTree path="" value={value} />
    </Section>
  );
}

const maxTextLength = 1000;

function CreditSection({ file }: { readonly file: FileEntry }): VNode | null {
  const rows = listRows(readCredit(file, usePage().format)).filter(([, values]) => values.length > 0);
  if (rows.length === 0) return null;
  return (
    <Section name="credit" heading={l10n.t('Credit')}>
      <dl class="pairs">
        {rows.map(([label, values]) => (
          <div key={label}>
            <dt>{label}</dt>
            {values.map((value) => (
              <dd>{value}</dd>
            ))}
          </div>
        ))}
      </dl>
    </Section>
  );
}

type Row = readonly [label: string, values: readonly VNode[]];

function listRows(credit: Credit): readonly Row[] {
  return [
    [l10n.t('Title'), credit.titles.map(renderText)],
    [l10n.t('Contributors'), credit.contributors.map(renderContributor)],
    [l10n.t('Publisher'), filterDefined([credit.publisher]).map(renderIdentifier)],
    [l10n.t('Dates'), credit.dates.map(renderDate)],
    [l10n.t('Funding'), credit.funding.map(renderRelated)],
    [l10n.t('Identifiers'), credit.related.map(renderRelated)],
    [l10n.t('Type'), filterDefined([credit.type]).map(renderText)],
    [l10n.t('Version'), filterDefined([credit.version]).map(renderText)],
    [l10n.t('Address'), filterDefined([credit.address]).map(renderIdentifier)],
    [l10n.t('Comment'), filterDefined([credit.comment]).map(renderText)],
  ];
}

function renderText(text: string): VNode {
  return <ServerText>{shortenText(text, maxTextLength)}</ServerText>;
}

function renderIdentifier({ text, address }: Identifier): VNode {
  return <Link address={address}>{shortenText(text, maxTextLength)}</Link>;
}

function renderContributor({ name, identifier, roles, affiliations, email }: Contributor): VNode {
  const details = [...filterDefined([roles]).map(renderText), ...affiliations.map(renderIdentifier)];
  const title = shortenText(name, maxTextLength);
  const id = identifier && identifier.address === undefined ? ` (${identifier.text})` : '';
  return (
    <>
      <Link address={identifier?.address}>{title + id}</Link>
      {email !== undefined && ' · '}
      {email !== undefined && <Link address={`mailto:${email}`}>{email}</Link>}
      {details.length > 0 && (
        <div class="aside">{details.flatMap((detail, index) => (index === 0 ? [detail] : [' · ', detail]))}</div>
      )}
    </>
  );
}

function renderRelated({ identifier, description }: RelatedIdentifier): VNode {
  return (
    <>
      {renderIdentifier(identifier)}
      {description !== undefined && <div class="aside">{renderText(description)}</div>}
    </>
  );
}

function renderDate({ event, text, written }: CreditDate): VNode {
  return (
    <>
      <time datetime={written} title={written}>
        {text}
      </time>
      {event !== '' && (
        <span class="aside">
          {' '}
          <ServerText>{event}</ServerText>
        </span>
      )}
    </>
  );
}

const maxCitationLength = 3000;

interface CiteSectionProps {
  readonly citation: string | undefined;
  readonly onCite: () => void;
}

function CiteSection({ citation, onCite }: CiteSectionProps): VNode | null {
  if (citation === undefined) return null;
  return (
    <Section name="cite" heading={l10n.t('Cite')}>
      <p>
        <CitationText citation={citation} />
      </p>
      <p>
        <Button kind="link" onClick={onCite}>
          {l10n.t('Copy or Save Citation…')}
        </Button>
      </p>
    </Section>
  );
}

/** Renders a citation with its DOI as a link. Other addresses in a citation are plain text. */
function CitationText({ citation }: { readonly citation: string }): VNode {
  const { text, doi, address } = splitCitation(citation);
  const written = <ServerText>{shortenText(text, maxCitationLength)}</ServerText>;
  if (doi === undefined) return written;
  return (
    <>
      {written} <Link address={address}>{doi}</Link>
    </>
  );
}

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

function Header({ snapshot, send }: ScreenProps): VNode {
  const { ref, kept, found, canOpen } = snapshot;
  const heading = getHeading(snapshot);
  const path = found?.kind === 'file' && found.path !== heading ? found.path : undefined;
  const actions = filterActions([
    { intent: 'transfer', label: l10n.t('Transfer…'), isPrimary: true },
    canOpen === true && { intent: 'open', label: l10n.t('Open') },
    { intent: 'copyId', label: l10n.t('Copy ID') },
    { intent: 'showJson', label: l10n.t('Show as JSON') },
    !kept && { intent: 'keep', label: l10n.t('Keep Open') },
  ]);
  return (
    <header>
      <h1 tabindex={-1} title={heading.length > maxHeadingLength ? shortenText(heading, 3000) : undefined}>
        <ServerText>{shortenText(heading, maxHeadingLength)}</ServerText>
      </h1>
      <p class="where">
        {path !== undefined && <ServerText class="code">{shortenText(path, 1000)}</ServerText>}
        <span class="database">{l10n.t('in {0}', isolate(ref.database))}</span>
      </p>
      <ActionGroup label={l10n.t('Actions')} actions={actions} onAction={(type) => send({ type })} />
    </header>
  );
}

function FileSections({ snapshot, file, send }: ScreenProps & { readonly file: FileEntry }): VNode {
  const facts = listFacts(file, usePage().format, snapshot);
  return (
    <>
      <FactStrip facts={facts} onCopyHash={() => send({ type: 'copyHash' })} />
      <DescriptionSection text={file.description} />
      <PreviewSection snapshot={snapshot} onAction={(type) => send({ type })} />
      <SchemaSection file={file} />
      <ReferenceSection name="sources" heading={l10n.t('Sources')} references={listSources(file)} />
      <ReferenceSection name="licenses" heading={l10n.t('Licenses')} references={listLicenses(file)} />
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
