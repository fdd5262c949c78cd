import * as l10n from '@vscode/l10n';
import type { FileEntry } from '../../core/model/fileEntry.ts';
import { button, element, foreign, link, section, type Child } from '../shared/dom.ts';
import type { Format } from '../shared/format.ts';
import { jsonTree } from '../shared/jsonTree.ts';
import { markdown } from '../shared/markdown.ts';
import { moreButton } from '../shared/more.ts';
import { readable, shortened } from '../shared/text.ts';
import type { ViewState } from '../shared/viewState.ts';
import { factsOf, otherFields, type Fact } from './facts.ts';
import { licencesOf, sourcesOf, type Reference } from './origins.ts';
import { schemaFields, type SchemaField } from './schema.ts';

const firstFields = 200;
const longestCell = 1000;

/** The strip of facts below the heading. */
export function factStrip(facts: readonly Fact[]): HTMLElement | undefined {
  if (facts.length === 0) return undefined;
  return element('dl', { 'data-key': 'facts', class: 'facts' }, ...facts.map(factRow));
}

function factRow({ key, label, text, exact, isCode, copyAction }: Fact): HTMLElement {
  const copy =
    copyAction && button(copyAction, l10n.t('Copy'), { kind: 'link', spoken: l10n.t('Copy the {0}', label) });
  return element(
    'div',
    { 'data-key': key, class: isCode ? 'fact wide' : 'fact' },
    element('dt', {}, label),
    element('dd', { class: isCode ? 'code' : undefined, title: exact }, foreign(text), copy && ' ', copy),
  );
}

/** The description, as Markdown. */
export function descriptionSection({ description }: FileEntry): HTMLElement | undefined {
  const source = readable(description);
  return section('description', l10n.t('Description'), source === undefined ? undefined : markdown(source));
}

interface Column {
  readonly title: string;
  readonly text: (field: SchemaField) => string;
  readonly isCode?: boolean;
}

/** The columns of a table. */
export function schemaSection(file: FileEntry, view: ViewState, format: Format): HTMLElement | undefined {
  const fields = schemaFields(file);
  if (fields.length === 0) return undefined;
  const limit = view.limit('schema', firstFields);
  const columns = usedColumns(fields);
  const head = columns.map(({ title }) => element('th', { scope: 'col' }, title));
  const rows = fields.slice(0, limit).map((field) => schemaRow(field, columns));
  const heading = l10n.t('Schema');
  const table = element('table', {}, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...rows));
  const frame = { class: 'scrolling', tabindex: '0', role: 'region', 'aria-label': l10n.t('Columns of the table') };
  const more = fields.length > limit ? moreButton('schema', limit, fields.length, format) : undefined;
  return section('schema', heading, element('div', frame, table), more);
}

/** A column that would be empty from top to bottom is left out. */
function usedColumns(fields: readonly SchemaField[]): readonly Column[] {
  const columns: readonly Column[] = [
    { title: l10n.t('Name'), text: ({ name }) => name, isCode: true },
    { title: l10n.t('Type'), text: ({ type }) => type, isCode: true },
    { title: l10n.t('Description'), text: ({ description }) => description },
    { title: l10n.t('Constraints'), text: ({ constraints }) => constraints.join('; ') },
  ];
  return columns.filter(({ text }) => fields.some((field) => text(field) !== ''));
}

function schemaRow(field: SchemaField, columns: readonly Column[]): HTMLElement {
  const cells = columns.map(({ text, isCode }, index) => {
    const content = foreign(shortened(text(field), longestCell), isCode ? 'code' : undefined);
    return index === 0 ? element('th', { scope: 'row' }, content) : element('td', {}, content);
  });
  return element('tr', {}, ...cells);
}

/** Where the data came from. */
export function sourcesSection(file: FileEntry): HTMLElement | undefined {
  return section('sources', l10n.t('Sources'), references(sourcesOf(file)));
}

/** Under which licences it may be used. */
export function licencesSection(file: FileEntry): HTMLElement | undefined {
  return section('licences', l10n.t('Licenses'), references(licencesOf(file)));
}

function references(items: readonly Reference[]): HTMLElement | undefined {
  if (items.length === 0) return undefined;
  const rows = items.map(({ text, address, email }) => {
    const mail: readonly Child[] = email === undefined ? [] : [' · ', link(email, `mailto:${email}`)];
    return element('li', {}, link(shortened(text, longestCell), address), ...mail);
  });
  return element('ul', { class: 'plain' }, ...rows);
}

/** What the database sent that nothing else on the page says. */
export function otherSection(file: FileEntry, heading: string, view: ViewState, format: Format): Child {
  const value = otherFields(file, factsOf(file, format), heading);
  if (Object.keys(value).length === 0) return undefined;
  return section('other', l10n.t('Other fields'), jsonTree({ path: '', value }, view, format));
}
