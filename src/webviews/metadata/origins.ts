import { record } from '../../messages/guards.ts';
import { openableLink } from '../../messages/links.ts';
import type { FileEntry } from '../../core/model/fileEntry.ts';
import { readIdentifier, type Identifier } from '../shared/identifiers.ts';
import { readable } from '../shared/text.ts';

/** Something that is named, and perhaps leads somewhere. */
export interface Reference extends Identifier {
  /** Any text that was given as an address for mail. */
  readonly email?: string;
}

/** The objects of a list that may not be one. */
export function objectsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(record) : [];
}

/** The field of an object that may not be one. */
export function fieldOf(value: unknown, name: string): unknown {
  return record(value) ? value[name] : undefined;
}

/** A name with where it leads: a link under its title, or the address alone. */
export function reference(title: unknown, path: unknown): Reference | undefined {
  const text = readable(title);
  const place = readable(path);
  if (place === undefined) return text === undefined ? undefined : readIdentifier(text);
  const { text: written, address } = readIdentifier(place);
  if (address !== undefined) return { text: text ?? written, address };
  return { text: text === undefined ? written : `${text} (${written})` };
}

/** Where the data came from: `sources` of the data resource. */
export function sourcesOf({ resource }: FileEntry): readonly Reference[] {
  return present(
    objectsIn(resource['sources']).map((source) => {
      const named = reference(source['title'], source['path']);
      const email = readable(source['email']);
      if (email === undefined) return named;
      if (named) return { ...named, email };
      const address = openableLink(`mailto:${email}`);
      return { text: email, ...(address !== undefined && { address }) };
    }),
  );
}

/** Under which licences it may be used: of the data resource and of its credit, in any form seen. */
export function licencesOf({ resource }: FileEntry): readonly Reference[] {
  const credit = fieldOf(resource['credit'], 'license');
  const single = resource['license'] ?? resource['licence'];
  const all = [
    ...objectsIn(resource['licenses']).map(({ title, name, path }) => reference(readable(title) ?? name, path)),
    reference(typeof single === 'string' ? single : fieldOf(single, 'id'), fieldOf(single, 'url')),
    reference(typeof credit === 'string' ? credit : fieldOf(credit, 'id'), fieldOf(credit, 'url')),
  ];
  return distinct(present(all));
}

function distinct(references: readonly Reference[]): readonly Reference[] {
  return [...new Map(references.map((item) => [`${item.text} ${item.address ?? ''}`, item])).values()];
}

/** The list without its gaps. */
export function present<T>(values: readonly (T | undefined)[]): readonly T[] {
  return values.filter((value) => value !== undefined);
}
