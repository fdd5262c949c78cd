import * as l10n from '@vscode/l10n';
import type { VNode } from 'preact';
import type { FileEntry } from '../../core/model/fileEntry.ts';
import { Button, DataTable, Fact as FactRow, Link, Section, ServerText, ShowMore } from '../shared/elements.tsx';
import { JsonTree } from '../shared/jsonTree.tsx';
import { usePage } from '../shared/pageContext.ts';
import { shortenText } from '../shared/text.ts';
import { listFacts, listOtherFields, type Fact } from './facts.ts';
import { listLicenses, listSources, type Reference } from './references.ts';
import { listSchemaFields, type SchemaField } from './schema.ts';

const initialFields = 200;
const maxCellLength = 1000;

interface FileProps {
  readonly file: FileEntry;
}

interface FactStripProps {
  readonly facts: readonly Fact[];
  readonly onCopyHash: () => void;
}

/** Renders the row of facts below the heading. */
export function FactStrip({ facts, onCopyHash }: FactStripProps): VNode | null {
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
export function SchemaSection({ file }: FileProps): VNode | null {
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

/** Returns the columns that have text in at least one row. */
function listUsedColumns(fields: readonly SchemaField[]): readonly Column[] {
  const columns: readonly Column[] = [
    { title: l10n.t('Name'), getText: ({ name }) => name, isCode: true },
    { title: l10n.t('Type'), getText: ({ type }) => type, isCode: true },
    { title: l10n.t('Description'), getText: ({ description }) => description },
    { title: l10n.t('Constraints'), getText: ({ constraints }) => constraints },
  ];
  return columns.filter(({ getText }) => fields.some((field) => getText(field) !== ''));
}

/** Renders the sources of the data. */
export function SourcesSection({ file }: FileProps): VNode | null {
  return <ReferenceSection name="sources" heading={l10n.t('Sources')} references={listSources(file)} />;
}

/** Renders the licenses of the data. */
export function LicensesSection({ file }: FileProps): VNode | null {
  return <ReferenceSection name="licenses" heading={l10n.t('Licenses')} references={listLicenses(file)} />;
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

/** Renders the metadata fields that no other section shows in full. */
export function OtherFieldsSection({ file, heading }: OtherFieldsProps): VNode | null {
  const value = listOtherFields(file, listFacts(file, usePage().format), heading);
  if (Object.keys(value).length === 0) return null;
  return (
    <Section name="other" heading={l10n.t('Additional fields')}>
      <JsonTree path="" value={value} />
    </Section>
  );
}
