import { isRecord } from '../messages/guards.ts';
import { toOpenableLink } from '../messages/pageMessages.ts';
import type { FileEntry } from '../../core/model/fileEntry.ts';
import { findSpdxId } from '../../core/util/spdxLicense.ts';
import { readIdentifier, type Identifier } from '../shared/identifiers.ts';
import { toReadableText } from '../shared/text.ts';

/** A source or license, with its web address if known. */
export interface Reference extends Identifier {
  /** The email address as sent by the server, even if it is invalid. */
  readonly email?: string;
}

/** Returns the objects in a list; an empty list if the value is not a list. */
export function listObjects(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Returns a property of an object; undefined if the value is not an object. */
export function getField(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

/**
 * Combines a title and an address, either of which may be missing; returns undefined if both are. The result is a link
 * if the address (or, without an address, the title) is an identifier or URL that can be opened.
 */
export function toReference(title: unknown, path: unknown): Reference | undefined {
  const text = toReadableText(title);
  const location = toReadableText(path);
  if (location === undefined) return text === undefined ? undefined : readIdentifier(text);
  const { text: written, address } = readIdentifier(location);
  if (address !== undefined) return { text: text ?? written, address };
  return { text: text === undefined ? written : `${text} (${written})` };
}

/** Reads the sources of the data from the `sources` field of a resource. */
export function listSources({ resource }: FileEntry): readonly Reference[] {
  return filterDefined(
    listObjects(resource['sources']).map((source) => {
      const named = toReference(source['title'], source['path']);
      const email = toReadableText(source['email']);
      if (email === undefined) return named;
      if (named) return { ...named, email };
      const address = toOpenableLink(`mailto:${email}`);
      return { text: email, ...(address !== undefined && { address }) };
    }),
  );
}

/** Reads the licenses in a resource and in its credit metadata, in any known form. Lists each one once. */
export function listLicenses({ resource }: FileEntry): readonly Reference[] {
  const credit = getField(resource['credit'], 'license');
  const single = resource['license'] ?? resource['licence'];
  const all = [
    ...listObjects(resource['licenses']).map(({ title, name, path }) =>
      toReference(toReadableText(title) ?? name, path),
    ),
    toReference(typeof single === 'string' ? single : getField(single, 'id'), getField(single, 'url')),
    toReference(typeof credit === 'string' ? credit : getField(credit, 'id'), getField(credit, 'url')),
  ];
  return removeDuplicates(filterDefined(all));
}

/** Merges licenses with the same SPDX ID, or with the same text and address. */
function removeDuplicates(licenses: readonly Reference[]): readonly Reference[] {
  const found = new Map<string, Reference>();
  for (const license of licenses) {
    const id = getLicenseId(license);
    found.set(id, mergeLicenses(found.get(id) ?? license, license));
  }
  return [...found.values()];
}

function getLicenseId({ text, address = '' }: Reference): string {
  return findSpdxId(text) ?? findSpdxId(address) ?? `${text} ${address}`;
}

/** Merges two licenses. Prefers a name over a link as the text, and uses the first known address. */
function mergeLicenses(first: Reference, second: Reference): Reference {
  const address = first.address ?? second.address;
  const { text } = [first, second].find((one) => toOpenableLink(one.text) === undefined) ?? first;
  return address === undefined ? { text } : { text, address };
}

/** Returns the values that are not undefined. */
export function filterDefined<T>(values: readonly (T | undefined)[]): readonly T[] {
  return values.filter((value) => value !== undefined);
}
