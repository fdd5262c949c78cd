import type { JsonObject } from '../util/json.ts';
import { parseOrcid } from '../util/orcid.ts';
import {
  formatSortedName,
  type CitedName,
  type CitedPeople,
  type CitedWork,
  type SupportingContributor,
} from './citation.ts';
import { listObjects, listTexts, omitUndefined, parseDoi, parseWebAddress, readText, toObject } from './creditText.ts';
import { readLicenses } from './licenses.ts';

/** Reads what the credit metadata of a resource state, or the fields that data packages use instead. */
export function readCitedWork(resource: JsonObject): CitedWork {
  const credit = toObject(resource['credit']);
  const [title, ...otherTitles] = readTitles(credit, resource);
  const { description_text: description } = listObjects(credit['descriptions'])[0] ?? {};
  const { publisher, ...people } = readPublisher(credit, readPeople(credit, resource));
  return {
    ...omitUndefined({
      ...{ title, issued: readIssueDate(credit['dates']), ...readIdentifiers(credit) },
      publisher,
      version: readText(credit['version']) ?? readText(resource['version']),
      url: parseWebAddress(credit['url']) ?? parseWebAddress(credit['content_url']),
      abstract: readText(description) ?? readText(resource['description']),
    }),
    ...{ otherTitles, ...people, licenses: readLicenses(resource) },
    notes: [...readFunding(credit), ...readRelated(credit)],
  };
}

/** Returns the main title first: the first one without a type. */
function readTitles(credit: JsonObject, resource: JsonObject): readonly string[] {
  const entries = listObjects(credit['titles']);
  const hasType = (entry: JsonObject): number => Number(readText(entry['title_type']) !== undefined);
  const sorted = entries.length < 2 ? entries : [...entries].sort((a, b) => hasType(a) - hasType(b));
  const titles = listTexts(sorted.map(({ title }) => title));
  return titles.length > 0 ? [...new Set(titles)] : listTexts([resource['title']]);
}

const dateEvents = ['issued', 'published', 'available', 'created', 'accepted', 'updated', ''];

/** Returns the first valid date of the event that best tells when the work was issued. */
function readIssueDate(dates: unknown): string | undefined {
  const entries = listObjects(dates).map(({ event, date }) => ({
    rank: dateEvents.indexOf((readText(event) ?? '').toLowerCase()),
    date: parseDay(readText(date)),
  }));
  const known = entries.filter(({ rank, date }) => rank >= 0 && date !== undefined);
  return known.sort((a, b) => a.rank - b.rank)[0]?.date;
}

/** Returns the valid beginning of a date: the day, the month or the year. */
function parseDay(text: string | undefined): string | undefined {
  const [, year, month, day] = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?!\d)/.exec(text ?? '') ?? [];
  if (year === undefined || Number(year) === 0) return undefined;
  if (month === undefined || Number(month) < 1 || Number(month) > 12) return year;
  const count = Number(day ?? 0);
  const isDay = count >= 1 && (count <= 28 || count <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate());
  return isDay ? `${year}-${month}-${day}` : `${year}-${month}`;
}

function readIdentifiers(credit: JsonObject): Pick<CitedWork, 'doi' | 'identifier'> {
  const identifier = readText(credit['identifier']);
  const own = parseDoi(identifier);
  if (own !== undefined) return { doi: own };
  const related = listObjects(credit['related_identifiers']).find(isOwnDoi);
  return omitUndefined({ doi: related && parseDoi(readText(related['id'])), identifier });
}

/** Returns true for the DOI of the work itself, which databases list among the related identifiers. */
function isOwnDoi({ id, description, relationship_type: relationship }: JsonObject): boolean {
  const isDescribed = typeof description === 'string' && /^\s*data\s?set doi/i.test(description);
  return (isDescribed || relationship === 'IsIdenticalTo') && parseDoi(readText(id)) !== undefined;
}

function readRelated(credit: JsonObject): readonly string[] {
  const others = listObjects(credit['related_identifiers']).filter((entry) => !isOwnDoi(entry));
  return others.flatMap(({ id, description, relationship_type: relationship }) => {
    const written = readText(id);
    const label = readText(description) ?? readText(relationship) ?? 'Related';
    return written === undefined ? [] : [`${label}: ${parseDoi(written) ?? written}`];
  });
}

function readFunding(credit: JsonObject): readonly string[] {
  return listObjects(credit['funding']).flatMap(({ funder, grant_id: id, grant_title: title }) => {
    const name = isNamed(funder) ? readOrganizationName(funder) : readText(funder);
    const known = listTexts([name, title, id]);
    return known.length === 0 ? [] : [`Funding: ${known.join(', ')}`];
  });
}

function isNamed(value: unknown): boolean {
  return typeof value === 'object';
}

function readOrganizationName(value: unknown): string | undefined {
  return readText(toObject(value)['organization_name']);
}

/** Supporting roles, as DataCite and data packages spell them without separators, with the label of each in citations. */
const supportingRoles: ReadonlyMap<string, string> = new Map([
  ['contactperson', 'Contact person'],
  ['datamanager', 'Data manager'],
  ['distributor', 'Distributor'],
  ['funder', 'Funder'],
  ['hostinginstitution', 'Hosting institution'],
  ['maintainer', 'Maintainer'],
  ['publisher', 'Publisher'],
  ['registrationagency', 'Registration agency'],
  ['registrationauthority', 'Registration authority'],
  ['rightsholder', 'Rights holder'],
  ['sponsor', 'Sponsor'],
  ['wrangler', 'Wrangler'],
]);

/** Divides contributors by their roles. */
function readPeople(credit: JsonObject, resource: JsonObject): CitedPeople {
  const own = listObjects(credit['contributors']);
  const people = { authors: [], editors: [], contributors: [] };
  for (const entry of own.length > 0 ? own : listObjects(resource['contributors'])) {
    const name = readName(entry);
    if (name) addPerson(people, name, readRoles(entry));
  }
  return people;
}

/** Returns the publisher of a work; otherwise, the contributor who has this role in a data package. */
function readPublisher(credit: JsonObject, people: CitedPeople): CitedPeople & Pick<CitedWork, 'publisher'> {
  const own = readOrganizationName(credit['publisher']);
  const [publisher] = own === undefined ? people.contributors.filter(({ role }) => role === 'Publisher') : [];
  if (!publisher) return { ...people, ...omitUndefined({ publisher: own }) };
  const contributors = people.contributors.filter((contributor) => contributor !== publisher);
  return { ...people, contributors, publisher: formatSortedName(publisher.name) };
}

interface People {
  readonly authors: CitedName[];
  readonly editors: CitedName[];
  readonly contributors: SupportingContributor[];
}

/** Adds an author if any role is neither supporting nor that of an editor, or if there is no role. */
function addPerson({ authors, editors, contributors }: People, name: CitedName, roles: readonly string[]): void {
  const isEditor = roles.includes('editor');
  const [role] = roles.flatMap((word) => supportingRoles.get(word) ?? []);
  if (roles.length === 0 || roles.some((word) => word !== 'editor' && !supportingRoles.has(word))) authors.push(name);
  else if (isEditor) editors.push(name);
  else contributors.push({ name, role: role ?? '' });
}

/** Returns the roles of a contributor in lower case, without vocabulary and separators: `contactperson`. */
function readRoles(entry: JsonObject): readonly string[] {
  const written = entry['contributor_roles'] ?? entry['roles'] ?? entry['role'];
  const roles = listTexts(Array.isArray(written) ? written : (readText(written) ?? '').split(','));
  return roles.map((role) =>
    role
      .replace(/^.*:/, '')
      .replaceAll(/[\s_-]/g, '')
      .toLowerCase(),
  );
}

function readName(entry: JsonObject): CitedName | undefined {
  const name = readPersonName(entry) ?? readFullName(entry);
  if (!name) return undefined;
  const id = readText(entry['contributor_id']) ?? readText(entry['path']);
  const orcid = id === undefined ? undefined : parseOrcid(id.replace(/^orcid:/i, ''));
  const [first] = listObjects(entry['affiliations']);
  const affiliation = readOrganizationName(first) ?? readText(entry['organization']);
  return { ...name, ...omitUndefined({ orcid, affiliation }) };
}

function readPersonName(entry: JsonObject): CitedName | undefined {
  if (entry['contributor_type'] === 'Organization') return undefined;
  const family = readText(entry['family_name']) ?? readText(entry['familyName']);
  const given = readGivenName(entry);
  if (family !== undefined) return given === undefined ? { family } : { family, given };
  return undefined;
}

/** Divides `Family, Given`. Any other name stays as it is, because its order is unknown. */
function readFullName(entry: JsonObject): CitedName | undefined {
  const given = readGivenName(entry);
  const name = readText(entry['name']) ?? readText(entry['title']) ?? given;
  if (name === undefined) return undefined;
  const [family, rest, ...more] = name.split(',').map(readText);
  const isDivided = entry['contributor_type'] === 'Person' && more.length === 0;
  return isDivided && family !== undefined && rest !== undefined
    ? { family, given: separateInitials(rest) }
    : { literal: name };
}

function readGivenName(entry: JsonObject): string | undefined {
  const given = readText(entry['given_name']) ?? readText(entry['givenName']);
  return given === undefined ? undefined : separateInitials(given);
}

/** Separates initials, which formats abbreviate one by one: `J.A.` becomes `J. A.` */
function separateInitials(given: string): string {
  return given.includes('.') ? given.replaceAll(/\.(?=\p{L})/gu, '. ') : given;
}
