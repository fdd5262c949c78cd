import { isJsonObject, type JsonObject } from '../util/json.ts';
import { parseOrcid } from '../util/userIdentity.ts';
import { formatSortedName, type CitedName, type CitedWork, type SupportingContributor } from './citation.ts';
import {
  append,
  listObjects,
  listTexts,
  parseDoi,
  parseWebAddress,
  readLicenses,
  readText,
  toObject,
} from './creditText.ts';

/** Reads the work to cite from a resource's credit metadata, or from the fields that data packages use instead. */
export function readCitedWork(resource: JsonObject): CitedWork {
  const { credit: stated, package: described } = resource;
  const isPackage = !isJsonObject(stated) && isJsonObject(described);
  const credit = isPackage ? toCredit(described) : toObject(stated);
  const titles = readTitles(credit, resource);
  const people = readPeople(credit, resource);
  const { doi, identifier } = readIdentifiers(credit);
  // Avoids spreading objects, which is slow for very many files.
  return {
    title: titles[0],
    otherTitles: titles.length < 2 ? none : titles.slice(1),
    authors: people.authors ?? noNames,
    editors: people.editors ?? noNames,
    publisher: readPublisher(credit, people),
    contributors: people.contributors ?? noContributors,
    issued: readIssueDate(credit['dates']),
    version: readText(credit['version']) ?? readText(resource['version']),
    doi,
    identifier,
    url: parseWebAddress(credit['url']) ?? parseWebAddress(credit['content_url']),
    // The description of a file isn't that of its package.
    abstract: readDescription(credit, isPackage ? noFields : resource),
    licenses: readLicenses(resource),
    notes: readNotes(credit, doi),
  };
}

function toCredit({ id, doi, title, name, version, created, homepage }: JsonObject): JsonObject {
  const identifier = [id, doi].find((one) => parseDoi(readText(one)) !== undefined) ?? id;
  const dates = [{ event: 'Created', date: created }];
  return { titles: [{ title: title ?? name }], identifier, version, dates, url: homepage };
}

const noFields: JsonObject = {};
const none: readonly string[] = [];
const noNames: readonly CitedName[] = [];
const noContributors: readonly SupportingContributor[] = [];

function readDescription(credit: JsonObject, resource: JsonObject): string | undefined {
  const [first] = listObjects(credit['descriptions']);
  return readText(first?.['description_text']) ?? readText(resource['description']);
}

/**
 * Returns the titles in the credit metadata or, if none is readable, the title of the resource unless, without credit, it
 * is only the file's name. The main title, which is the first one without a type, comes first.
 */
function readTitles(credit: JsonObject, resource: JsonObject): readonly string[] {
  const entries = listObjects(credit['titles']);
  const titles = entries.length > 1 ? readSeveralTitles(entries) : listTexts([entries[0]?.['title']]);
  const isUntitled = Object.keys(credit).length === 0 && isFileName(resource);
  return titles.length > 0 || isUntitled ? titles : listTexts([resource['title']]);
}

function isFileName({ title, path }: JsonObject): boolean {
  // The local service titles a file without metadata by its name, which would make a work of each file of a folder.
  return typeof title === 'string' && typeof path === 'string' && `/${path}`.endsWith(`/${title}`);
}

function readSeveralTitles(entries: readonly JsonObject[]): readonly string[] {
  const hasType = (entry: JsonObject): number => Number(readText(entry['title_type']) !== undefined);
  const sorted = [...entries].sort((a, b) => hasType(a) - hasType(b));
  return [...new Set(listTexts(sorted.map(({ title }) => title)))];
}

const dateEvents = ['issued', 'published', 'available', 'created', 'accepted', 'updated', ''];

/** Returns the date of the event that best indicates when the work was issued. */
function readIssueDate(dates: unknown): string | undefined {
  let [bestRank, best]: [number, string | undefined] = [dateEvents.length, undefined];
  for (const { event, date } of listObjects(dates)) {
    const rank = dateEvents.indexOf((readText(event) ?? '').toLowerCase());
    const day = rank >= 0 && rank < bestRank ? parseDay(readText(date)) : undefined;
    if (day !== undefined) [bestRank, best] = [rank, day];
  }
  return best;
}

/** Matches text that starts with a date whose day exists in every month (01 to 28). */
const plainDay = /^[12]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])(?!\d)/;

/** Returns the longest valid date at the start of a string (`YYYY-MM-DD`, `YYYY-MM`, `YYYY`), if any. */
function parseDay(text: string | undefined): string | undefined {
  if (text !== undefined && plainDay.test(text)) return text.slice(0, 10);
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
  if (own !== undefined) return { doi: own, identifier: undefined };
  return { doi: findOwnDoi(listObjects(credit['related_identifiers'])), identifier };
}

/** Relations of a file to the work whose DOI it is cited by, in order of preference. */
const ownRelations = ['IsIdenticalTo', 'IsVersionOf', 'IsPartOf'];

/** Returns the DOI by which the relations say that the work is cited; some databases only describe it. */
function findOwnDoi(related: readonly JsonObject[]): string | undefined {
  let [bestRank, best]: [number, string | undefined] = [ownRelations.length, undefined];
  for (const { id, description, relationship_type: written } of related) {
    const relation = readText(written)?.replace(/^\w*:/, '');
    const rank = relation === undefined ? getDescribedRank(description) : ownRelations.indexOf(relation);
    const doi = rank >= 0 && rank < bestRank ? parseDoi(readText(id)) : undefined;
    if (doi !== undefined) [bestRank, best] = [rank, doi];
  }
  return best;
}

function getDescribedRank(description: unknown): number {
  return typeof description === 'string' && /^\s*data\s?set doi/i.test(description) ? 0 : -1;
}

function readNotes(credit: JsonObject, ownDoi: string | undefined): readonly string[] {
  let notes: string[] | undefined;
  for (const entry of listObjects(credit['funding'])) notes = appendNote(notes, 'Funding', readFunding(entry));
  for (const entry of listObjects(credit['related_identifiers'])) {
    const id = readText(entry['id']);
    if (ownDoi === undefined || parseDoi(id) !== ownDoi) notes = appendNote(notes, getRelationLabel(entry), id);
  }
  return notes ?? none;
}

function appendNote(notes: string[] | undefined, label: string, text: string | undefined): string[] | undefined {
  // Databases write DOIs with various prefixes.
  return text === undefined ? notes : append(notes, `${label}: ${parseDoi(text) ?? text}`);
}

function getRelationLabel({ description, relationship_type: relationship }: JsonObject): string {
  return readText(description) ?? readText(relationship) ?? 'Related';
}

function readFunding({ funder, grant_id: id, grant_title: title }: JsonObject): string | undefined {
  const name = typeof funder === 'object' ? readOrganizationName(funder) : readText(funder);
  const known = listTexts([name, title, id]);
  return known.length === 0 ? undefined : known.join(', ');
}

function readOrganizationName(value: unknown): string | undefined {
  return readText(toObject(value)['organization_name']);
}

/** Labels of supporting roles of DataCite and data packages, by names in lower case without separators. */
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

interface People {
  authors?: CitedName[];
  editors?: CitedName[];
  contributors?: SupportingContributor[];
}

function readPeople(credit: JsonObject, resource: JsonObject): People {
  const own = listObjects(credit['contributors']);
  const people: People = {};
  for (const entry of own.length > 0 ? own : listObjects(resource['contributors'])) {
    const name = readName(entry);
    if (name) addPerson(people, name, readRoles(entry));
  }
  return people;
}

/**
 * Returns the publisher. If the credit metadata names none, removes the first contributor with the role `Publisher`
 * from the list and returns that contributor's name.
 */
function readPublisher(credit: JsonObject, { contributors }: People): string | undefined {
  const name = readOrganizationName(credit['publisher']);
  if (name !== undefined || !contributors) return name;
  const position = contributors.findIndex(({ role }) => role === 'Publisher');
  const [taken] = position === -1 ? [] : contributors.splice(position, 1);
  return taken && formatSortedName(taken.name);
}

/** Adds a person as an editor or contributor or, without a role or with any other one, as an author. */
function addPerson(people: People, name: CitedName, roles: readonly string[]): void {
  if (roles.length === 0 || roles.some(isAuthorRole)) people.authors = append(people.authors, name);
  else if (roles.includes('editor')) people.editors = append(people.editors, name);
  else people.contributors = append(people.contributors, { name, role: supportingRoles.get(roles[0] ?? '') ?? '' });
}

function isAuthorRole(role: string): boolean {
  return role !== 'editor' && !supportingRoles.has(role);
}

/** Returns a contributor's roles in lower case, without vocabulary prefixes or separators, such as `contactperson`. */
function readRoles(entry: JsonObject): readonly string[] {
  const written = entry['contributor_roles'] ?? entry['roles'] ?? entry['role'];
  if (Array.isArray(written)) return listTexts(written).map(toRole);
  const text = readText(written);
  if (text === undefined) return [];
  return text.includes(',') ? listTexts(text.split(',')).map(toRole) : [toRole(text)];
}

function toRole(written: string): string {
  const role = /^[a-z]+$/i.test(written) ? written : written.replace(/^.*:/, '').replaceAll(/[\s_-]/g, '');
  return role.toLowerCase();
}

function readName(entry: JsonObject): CitedName | undefined {
  const name = readPersonName(entry) ?? readFullName(entry);
  if (!name) return undefined;
  const id = readText(entry['contributor_id']) ?? readText(entry['path']);
  const orcid = id === undefined ? undefined : parseOrcid(id.replace(/^orcid:/i, ''));
  const [first] = listObjects(entry['affiliations']);
  const affiliation = readOrganizationName(first) ?? readText(entry['organization']);
  if (orcid === undefined) return affiliation === undefined ? name : { ...name, affiliation };
  return affiliation === undefined ? { ...name, orcid } : { ...name, orcid, affiliation };
}

function readPersonName(entry: JsonObject): CitedName | undefined {
  if (entry['contributor_type'] === 'Organization') return undefined;
  const family = readText(entry['family_name']) ?? readText(entry['familyName']);
  if (family === undefined) return undefined;
  const given = readGivenName(entry);
  return given === undefined ? { family } : { family, given };
}

/** Splits a name of the form `Family, Given`. Leaves others whole, because the order of their parts is unknown. */
function readFullName(entry: JsonObject): CitedName | undefined {
  const given = readGivenName(entry);
  const name = readText(entry['name']) ?? readText(entry['title']) ?? given ?? readText(entry['organization']);
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

/** Separates initials with spaces, so that citation formats treat each one as a name: `J.A.` becomes `J. A.` */
function separateInitials(given: string): string {
  return given.includes('.') ? given.replaceAll(/\.(?=\p{L})/gu, '. ') : given;
}
