import * as l10n from '@vscode/l10n';
import type { FileEntry } from '../../core/model/fileEntry.ts';
import type { MetadataSnapshot } from '../../messages/metadataMessages.ts';
import type { Format } from '../shared/format.ts';
import { readable, shortened } from '../shared/text.ts';

/** One line of the strip of facts. */
export interface Fact {
  readonly key: string;
  readonly label: string;
  readonly text: string;
  /** More exact than the text, for whoever stays on it. */
  readonly exact?: string;
  /** Whether it is read character by character. */
  readonly isCode?: boolean;
  /** The action that copies it. */
  readonly copyAction?: 'copyHash';
  /** The field of the resource that it says in full. */
  readonly field: string;
}

const longestFact = 300;
const modifiedFields = ['modified', 'last_modified', 'lastModified', 'mtime'];

/** What can be said of a file in a word each, in the order of interest. What the database did not tell is left out. */
export function factsOf(file: FileEntry, format: Format, staging?: MetadataSnapshot['staging']): readonly Fact[] {
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
    textFact('format', l10n.t('Format'), file.format, 'format'),
    textFact('mediaType', l10n.t('Media type'), file.mediaType, 'mediatype'),
    textFact('encoding', l10n.t('Encoding'), resource['encoding'], 'encoding'),
    stagingFact(staging),
    modifiedFact(resource, format),
    codeFact(textFact('hash', l10n.t('Hash'), file.hash, 'hash'), 'copyHash'),
    codeFact(textFact('id', l10n.t('Id'), file.id, 'id')),
  ];
  return facts.filter((fact): fact is Fact => fact !== undefined);
}

function textFact(key: string, label: string, value: unknown, field: string): Fact | undefined {
  const text = readable(value);
  if (text === undefined) return undefined;
  return text.length <= longestFact
    ? { key, label, text, field }
    : { key, label, text: shortened(text, longestFact), exact: shortened(text, 10 * longestFact), field };
}

function codeFact(fact: Fact | undefined, copyAction?: 'copyHash'): Fact | undefined {
  return fact && { ...fact, isCode: true, ...(copyAction !== undefined && { copyAction }) };
}

/** Known of few files: the host looks for it (D31). */
function stagingFact(staging: MetadataSnapshot['staging']): Fact | undefined {
  if (staging === undefined) return undefined;
  const isStaged = staging === 'staged';
  const text = isStaged ? l10n.t('Staged') : l10n.t('Unstaged');
  const exact = isStaged ? l10n.t('A copy can begin at once.') : l10n.t('It may first be fetched from tape.');
  return { key: 'staging', label: l10n.t('Staging'), text, exact, field: '' };
}

function modifiedFact(resource: FileEntry['resource'], format: Format): Fact | undefined {
  const field = modifiedFields.find((name) => readable(resource[name]) !== undefined);
  if (field === undefined) return undefined;
  const written = String(resource[field]);
  const at = Date.parse(written);
  const label = l10n.t('Modified');
  if (Number.isNaN(at)) return textFact('modified', label, written, field);
  return { key: 'modified', label, text: format.date(at), exact: format.dateTime(at), field };
}

/** Everything of the resource that the page does not say in full elsewhere: nothing that a server sent is hidden (D15). */
export function otherFields(file: FileEntry, facts: readonly Fact[], heading: string): Record<string, unknown> {
  const said = new Set(['description']);
  for (const { field, text } of facts) if (isSaid(file.resource[field], text) || field === 'bytes') said.add(field);
  for (const field of ['name', 'title']) if (file.resource[field] === heading) said.add(field);
  if (file.path !== undefined && file.path.length <= longestFact) said.add('path');
  if (readable(file.resource['description']) === undefined) said.delete('description');
  return Object.fromEntries(Object.entries(file.resource).filter(([field]) => !said.has(field)));
}

function isSaid(value: unknown, text: string): boolean {
  return typeof value !== 'string' || value.trim() === text;
}
