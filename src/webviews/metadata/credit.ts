import type { FileEntry } from '../../core/model/fileEntry.ts';
import { identifyLicense } from '../../core/util/spdxLicense.ts';
import { isRecord } from '../messages/guards.ts';
import { toOpenableLink } from '../messages/pageMessages.ts';
import type { Format } from '../shared/format.ts';
import { readIdentifier, type Identifier, toReadableText } from '../shared/text.ts';

/** A contributing person or organization. */
export interface Contributor {
  readonly name: string;
  readonly identifier?: Identifier;
  readonly roles?: string;
  readonly affiliations: readonly Identifier[];
  readonly email?: string;
}

/** The identifier of a related item, such as a grant or a publication. */
export interface RelatedIdentifier {
  readonly identifier: Identifier;
  readonly description?: string;
}

/** A date: the event (`Created`), the formatted date (`Aug 26, 2021`) and the original text. */
export interface CreditDate {
  readonly event: string;
  readonly text: string;
  readonly written: string;
}

/** The credit metadata of a file. Lists are empty, and fields are absent, if the database sent no value for them. */
export interface Credit {
  readonly contributors: readonly Contributor[];
  readonly publisher?: Identifier;
  readonly dates: readonly CreditDate[];
  readonly funding: readonly RelatedIdentifier[];
  readonly related: readonly RelatedIdentifier[];
  readonly titles: readonly string[];
  readonly version?: string;
  readonly type?: string;
  readonly address?: Identifier;
  readonly comment?: string;
}

/**
 * Reads the credit metadata of a resource or, without it, the description of its data package; and the `contributors`
 * and `version` fields of the resource itself.
 */
export function readCredit({ resource, title }: FileEntry, format: Format): Credit {
  const { credit: stated, package: described } = resource;
  const credit = isRecord(stated) ? stated : toCredit(described);
  const publisher = readOrganization(credit['publisher']);
  const version = toReadableText(credit['version']) ?? toReadableText(resource['version']);
  const type = toReadableText(credit['resource_type']);
  const address = toReference(undefined, credit['url']) ?? toReference(undefined, credit['content_url']);
  const comment = toReadableText(credit['comment']);
  const titles = filterDefined(listObjects(credit['titles']).map((entry) => toReadableText(entry['title'])));
  return {
    contributors: [...listObjects(credit['contributors']), ...listObjects(resource['contributors'])].flatMap(
      readContributor,
    ),
    dates: listObjects(credit['dates']).flatMap((entry) => readDate(entry, format)),
    funding: listObjects(credit['funding']).flatMap(readGrant),
    related: listObjects(credit['related_identifiers']).flatMap(readRelated),
    titles: titles.filter((entry) => entry !== title),
    ...(publisher && { publisher }),
    ...(version !== undefined && { version }),
    ...(type !== undefined && { type }),
    ...(address && { address }),
    ...(comment !== undefined && { comment }),
  };
}

type Entry = Readonly<Record<string, unknown>>;

function toCredit(described: unknown): Entry {
  if (!isRecord(described)) return {};
  const { title, name, version, created, homepage } = described;
  return { titles: [{ title: title ?? name }], version, dates: [{ event: 'created', date: created }], url: homepage };
}

function readContributor(entry: Entry): readonly Contributor[] {
  const given = [toReadableText(entry['given_name']), toReadableText(entry['family_name'])].filter(
    (part) => part !== undefined,
  );
  const name =
    toReadableText(entry['name']) ?? toReadableText(entry['title']) ?? (given.length > 0 ? given.join(' ') : undefined);
  const identifier = toReference(undefined, toReadableText(entry['contributor_id']) ?? entry['path']);
  const written = name ?? identifier?.text;
  if (written === undefined) return [];
  const roles = readRoles(entry);
  const email = toReadableText(entry['email']);
  return [
    {
      name: written,
      affiliations: readAffiliations(entry),
      ...(identifier && name !== undefined && { identifier }),
      ...(roles !== undefined && { roles }),
      ...(email !== undefined && { email }),
    },
  ];
}

function readRoles(entry: Entry): string | undefined {
  const written = entry['contributor_roles'] ?? entry['roles'] ?? entry['role'];
  const roles: unknown[] = Array.isArray(written) ? written : (toReadableText(written) ?? '').split(',');
  const words = filterDefined(roles.map(toReadableText));
  return words.length > 0 ? words.join(', ') : undefined;
}

function readAffiliations(entry: Entry): readonly Identifier[] {
  const named = toReference(entry['organization'], undefined);
  return filterDefined([...listObjects(entry['affiliations']).map(readOrganization), named]);
}

function readOrganization(entry: unknown): Identifier | undefined {
  return toReference(getField(entry, 'organization_name'), getField(entry, 'organization_id'));
}

function readDate(entry: Entry, format: Format): readonly CreditDate[] {
  const written = toReadableText(entry['date']);
  if (written === undefined) return [];
  return [{ event: toReadableText(entry['event']) ?? '', text: formatDay(written, format), written }];
}

/**
 * Formats a date. A date without a time is shown as the same day in all time zones. A year, a year with a month, or
 * text that is not a date is returned unchanged.
 */
function formatDay(written: string, format: Format): string {
  if (/^\d{4}(-\d{2})?$/.test(written)) return written;
  const at = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(written) ? `${written}T00:00:00` : written);
  return Number.isNaN(at) ? written : format.date(at);
}

function readGrant(entry: Entry): readonly RelatedIdentifier[] {
  const funder = readOrganization(entry['funder']);
  const award = toReference(toReadableText(entry['grant_title']) ?? entry['grant_id'], entry['grant_url']);
  const identifier = award ?? funder;
  if (identifier === undefined) return [];
  const details = [
    award && funder?.text,
    award && toReadableText(entry['grant_title']) && toReadableText(entry['grant_id']),
  ];
  const description = filterDefined(details).join(', ');
  return [{ identifier, ...(description !== '' && { description }) }];
}

function readRelated(entry: Entry): readonly RelatedIdentifier[] {
  const written = toReadableText(entry['id']);
  if (written === undefined) return [];
  const description = toReadableText(entry['description']) ?? toReadableText(entry['relationship_type']);
  return [{ identifier: readIdentifier(written), ...(description !== undefined && { description }) }];
}

interface SplitCitation {
  readonly text: string;
  /** The DOI as written in the citation, such as `https://doi.org/10.1234/a`. */
  readonly doi?: string;
  /** The address at doi.org to open. */
  readonly address?: string;
}

/** Splits off the DOI at the end of a citation in APA style. Other addresses remain in the text. */
export function splitCitation(citation: string): SplitCitation {
  const [, text, doi] = /^(.*) (https:\/\/doi\.org\/10\.\S+)$/s.exec(citation) ?? [];
  if (text === undefined || doi === undefined) return { text: citation };
  const { address } = readIdentifier(doi);
  return address?.startsWith('https://doi.org/') ? { text, doi, address } : { text: citation };
}

/** A source or license, with its web address if known. */
export interface Reference extends Identifier {
  /** The email address as sent by the server, even if it is invalid. */
  readonly email?: string;
}

/** Returns the objects in a list; an empty list if the value is not a list. */
export function listObjects(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function getField(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

/**
 * Combines a title and an address, either of which may be missing; returns undefined if both are. The result is a link
 * if the address (or, without an address, the title) is an identifier or URL that can be opened.
 */
function toReference(title: unknown, path: unknown): Reference | undefined {
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
    ...listObjects(resource['licenses']).map(({ title, name, id, type, path, url }) =>
      toReference([title, name, id, type].map(toReadableText).find(Boolean), path ?? url),
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
  return identifyLicense(text, address) ?? `${text} ${address}`;
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
