import * as l10n from '@vscode/l10n';
import type { FileEntry } from '../../core/model/fileEntry.ts';
import { toSentence } from '../../core/util/sharedTexts.ts';
import { describeUnstaged } from '../../core/words/sharedSentences.ts';
import { isRecord } from '../messages/guards.ts';
import type { MetadataSnapshot } from '../messages/metadataMessages.ts';
import type { Format } from '../shared/format.ts';
import { listRemedies, type Note } from '../shared/note.ts';
import { shortenText, toReadableText, toVisibleText } from '../shared/text.ts';
import { listObjects } from './credit.ts';

/** An entry in the row of facts. */
export interface Fact {
  readonly key: string;
  readonly label: string;
  readonly text: string;
  /** A more exact value for the tooltip. */
  readonly exact?: string;
  /** True for hashes and IDs, which are shown as code because users compare them character by character. */
  readonly isCode?: boolean;
  /** The resource field that this fact comes from; empty if there is none. */
  readonly field: string;
}

type KnownFacts = Pick<MetadataSnapshot, 'staging' | 'copies'>;

const maxFactLength = 300;
const modifiedFields = ['modified', 'last_modified', 'lastModified', 'mtime'];

/** Lists the facts about a file, most interesting first. Omits unknown facts. */
export function listFacts(file: FileEntry, format: Format, known: KnownFacts = {}): readonly Fact[] {
  const { sizeBytes, resource } = file;
  const facts = [
    sizeBytes === undefined
      ? undefined
      : {
          key: 'size',
          label: l10n.t('Size'),
          text: format.size(sizeBytes),
          exact: format.exactSize(sizeBytes),
          field: 'bytes',
        },
    createFact('format', l10n.t('Format'), file.format, 'format'),
    createFact('mediaType', l10n.t('Media type'), file.mediaType, 'mediatype'),
    createFact('encoding', l10n.t('Encoding'), resource['encoding'], 'encoding'),
    createStagingFact(known.staging),
    createModifiedFact(resource, format),
    createCopiesFact(known.copies),
    toCode(createFact('hash', l10n.t('Hash'), file.hash, 'hash')),
    toCode(createFact('id', l10n.t('ID'), file.id, 'id')),
  ];
  return facts.filter((fact): fact is Fact => fact !== undefined);
}

function createFact(key: string, label: string, value: unknown, field: string): Fact | undefined {
  const text = toReadableText(value);
  if (text === undefined) return undefined;
  return text.length <= maxFactLength
    ? { key, label, text, field }
    : { key, label, text: shortenText(text, maxFactLength), exact: shortenText(text, 10 * maxFactLength), field };
}

function toCode(fact: Fact | undefined): Fact | undefined {
  return fact && { ...fact, isCode: true };
}

/** Creates the fact for the staging status; undefined if the status is unknown (D31: staged display). */
function createStagingFact(staging: MetadataSnapshot['staging']): Fact | undefined {
  if (staging === undefined) return undefined;
  const isStaged = staging === 'staged';
  const text = isStaged ? l10n.t('Staged') : l10n.t('Unstaged');
  const exact = isStaged ? l10n.t('Ready to copy.') : toSentence(describeUnstaged(l10n));
  return { key: 'staging', label: l10n.t('Staging'), text, exact, field: '' };
}

/**
 * Creates the fact for the other databases that have a file with the same content; undefined if there are none (D60:
 * same content).
 */
function createCopiesFact(copies: MetadataSnapshot['copies'] = []): Fact | undefined {
  if (copies.length === 0) return undefined;
  const databases = [...new Set(copies.map(({ database }) => database))];
  const text = shortenText(databases.map(toVisibleText).join(', '), maxFactLength);
  const names = copies.map(({ database, name }) => l10n.t('{0}: {1}', toVisibleText(database), toVisibleText(name)));
  const exact = shortenText(names.join('\n'), 10 * maxFactLength);
  return { key: 'copies', label: l10n.t('Also in'), text, exact, field: '' };
}

function createModifiedFact(resource: FileEntry['resource'], format: Format): Fact | undefined {
  const field = modifiedFields.find((name) => toReadableText(resource[name]) !== undefined);
  if (field === undefined) return undefined;
  const written = String(resource[field]);
  const at = Date.parse(written);
  const label = l10n.t('Modified');
  if (Number.isNaN(at)) return createFact('modified', label, written, field);
  return { key: 'modified', label, text: format.date(at), exact: format.dateTime(at), field };
}

/**
 * Returns the fields that the page does not show in full elsewhere, so that no data is hidden (D15: tolerant reading).
 */
export function listOtherFields(file: FileEntry, facts: readonly Fact[], heading: string): Record<string, unknown> {
  const shown = new Set(['description']);
  for (const { field, text } of facts) if (isShown(file.resource[field], text) || field === 'bytes') shown.add(field);
  for (const field of ['name', 'title']) if (file.resource[field] === heading) shown.add(field);
  if (file.path !== undefined && file.path.length <= maxFactLength) shown.add('path');
  if (toReadableText(file.resource['description']) === undefined) shown.delete('description');
  return Object.fromEntries(Object.entries(file.resource).filter(([field]) => !shown.has(field)));
}

function isShown(value: unknown, text: string): boolean {
  return typeof value !== 'string' || value.trim() === text;
}

/** A column of a tabular file. */
export interface SchemaField {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  /** The constraints in words, such as `required; minimum 0`. */
  readonly constraints: string;
}

/** Reads the columns of a tabular resource; an empty list if it has no schema. */
export function listSchemaFields({ resource }: FileEntry): readonly SchemaField[] {
  const schema = resource['schema'];
  if (!isRecord(schema)) return [];
  const primaryKey = new Set([schema['primaryKey']].flat());
  return listObjects(schema['fields']).map((field) => ({
    name: toReadableText(field['name']) ?? '',
    type: formatType(field),
    description: joinTexts(toReadableText(field['title']), toReadableText(field['description'])),
    constraints: joinConstraints([
      ...(primaryKey.has(field['name']) ? [l10n.t('primary key')] : []),
      ...formatConstraints(field['constraints']),
    ]),
  }));
}

/** Joins a title and a description with the punctuation of the display language. */
function joinTexts(title = '', description = ''): string {
  return title === '' || description === '' ? title + description : l10n.t('{0}: {1}', title, description);
}

function joinConstraints([first = '', ...others]: readonly string[]): string {
  return others.reduce((joined, constraint) => l10n.t('{0}; {1}', joined, constraint), first);
}

function formatType(field: Readonly<Record<string, unknown>>): string {
  const type = toReadableText(field['type']) ?? 'any';
  const format = toReadableText(field['format']);
  return format === undefined || format === 'default' ? type : `${type} (${format})`;
}

/** Formats constraints in words, such as `unique` or `maximum length 3`. */
function formatConstraints(constraints: unknown): readonly string[] {
  if (!isRecord(constraints)) return [];
  return Object.entries(constraints).flatMap(([name, value]) => {
    if (value === false || value === null) return [];
    if (value === true) return [describeFlag(name)];
    return [describeLimit(name, Array.isArray(value) ? value.map(formatValue).join(', ') : formatValue(value))];
  });
}

/** Describes a constraint that has no value, such as `required`. Returns the name of an unknown constraint. */
function describeFlag(name: string): string {
  if (name === 'required') return l10n.t('required');
  return name === 'unique' ? l10n.t('unique') : name;
}

/**
 * Describes a constraint that has a value, such as `minLength`. Shows an unknown constraint as its name followed by the
 * value.
 */
function describeLimit(name: string, value: string): string {
  const describe = Object.hasOwn(limits, name) ? limits[name] : undefined;
  return describe?.(value) ?? `${name} ${value}`;
}

/** The wording of the Table Schema constraints that have a value, by constraint name. */
const limits: Readonly<Record<string, (value: string) => string>> = {
  minLength: (value) => l10n.t('minimum length {0}', value),
  maxLength: (value) => l10n.t('maximum length {0}', value),
  minimum: (value) => l10n.t('minimum {0}', value),
  maximum: (value) => l10n.t('maximum {0}', value),
  exclusiveMinimum: (value) => l10n.t('greater than {0}', value),
  exclusiveMaximum: (value) => l10n.t('less than {0}', value),
  pattern: (value) => l10n.t('pattern {0}', value),
  enum: (value) => l10n.t('one of {0}', value),
};

function formatValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Lists the notes that appear above the metadata and report that it is outdated, missing or unreadable. */
export function listMetadataNotes(
  { found, problem, remedy, receivedAt, old, loading }: MetadataSnapshot,
  format: Format,
): readonly Note<'retry' | 'remedy'>[] {
  const notes: Note<'retry' | 'remedy'>[] = [];
  if (problem !== undefined && !loading) {
    const kind = found === undefined ? 'error' : 'warning';
    const actions = [{ intent: 'retry', label: l10n.t('Retry') } as const, ...listRemedies(remedy)];
    notes.push({ key: 'problem', kind, text: problem, actions });
  } else if (old && !loading) {
    const text = receivedAt
      ? l10n.t('Metadata as of {0}.', format.dateTime(receivedAt))
      : l10n.t('This is the last known metadata.');
    notes.push({ key: 'old', kind: 'info', text, actions: [{ intent: 'retry', label: l10n.t('Refresh') }] });
  }
  if (found?.kind === 'unreadable') {
    const text = l10n.t("This file's metadata can't be read. The database returned:");
    notes.push({ key: 'unreadable', kind: 'warning', text });
  }
  return notes;
}

/** Returns the text for a screen reader to announce; undefined unless loading has just ended. */
export function describeMetadataChange(before: MetadataSnapshot, now: MetadataSnapshot): string | undefined {
  if (now.loading || !before.loading) return undefined;
  return now.problem ?? l10n.t('Loaded the metadata for {0}.', now.ref.name.slice(0, 200));
}
