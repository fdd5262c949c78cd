import { FAILSAFE_SCHEMA, load, nullCoreTag, YAMLException } from 'js-yaml';
import { listPackagePaths } from '../../core/util/fileId.ts';
import { isJsonObject, type JsonObject } from '../../core/util/json.ts';
import { readJsonObject } from '../../core/util/jsonObject.ts';
import { describeBrokenJson, maxChars, type PackageContent, type PackageFolder } from './dataPackage.ts';

/** Name of the file that describes a folder as an RO-Crate. */
export const crateName = 'ro-crate-metadata.json';

/** Name of the file that states how to cite a folder's content, in the Citation File Format. */
export const citationName = 'CITATION.cff';

/** Name of the file that describes a BIDS data set, and states how to cite it. */
export const bidsName = 'dataset_description.json';

/** Maximum number of JSON characters that describe a whole folder, because they are sent with each of its files. */
const maxFolderChars = 32 * 1024;

/** Maximum number of entries of a list, because a file can have many references to one long list. */
const maxListed = 1_000;
const maxTextChars = 32 * 1024;

const doiPattern = /^(?:https?:\/\/(?:dx\.)?doi\.org\/|doi:)?10\.\d+\//i;

type Entities = ReadonlyMap<string, JsonObject>;

/**
 * Parses the metadata of an RO-Crate: what it says about its folder, and about single files. A crate that names neither
 * people nor a publisher or a DOI, such as a list of transferred files, gives no credit.
 */
export function readCrateText(text: string, { hasFile = () => true }: PackageFolder = {}): PackageContent {
  const read = readJsonObject(text);
  if (read.kind !== 'object') return { warnings: [describeBrokenJson(read)] };
  const graph: unknown = read.value['@graph'];
  if (!Array.isArray(graph)) return { warnings: ['it has no list @graph'] };
  const objects = graph.filter(isJsonObject);
  const entities: Entities = new Map(objects.map((entity) => [String(entity['@id']), entity]));
  const descriptor = objects.find(({ '@id': id, about }) => about !== undefined && String(id).endsWith(crateName));
  const root = getEntities(entities, descriptor?.['about'])[0] ?? entities.get('./');
  if (root?.['@type'] === undefined) return { warnings: ['it does not describe a root dataset'] };
  const files = objects.filter((entity) => entity !== root);
  return addFolderFields(describeCrateFiles(entities, files, hasFile), describeCrate(entities, root));
}

function describeCrateFiles(
  entities: Entities,
  files: readonly JsonObject[],
  hasFile: (path: string) => boolean,
): PackageContent {
  const metadata = new Map<string, JsonObject>();
  let left = maxChars;
  for (const entity of files) {
    if (left < 0) break;
    const path = findCrateFile(entity, hasFile);
    if (path === undefined) continue;
    const fields = describeCrateFile(entities, entity);
    if (Object.keys(fields).length === 0) continue;
    left -= JSON.stringify(fields).length;
    if (left >= 0) metadata.set(path, fields);
  }
  return { metadata, warnings: left < 0 ? ['it has more metadata than allowed'] : [] };
}

/**
 * Parses a file in the Citation File Format (1.0 to 1.2). All values but null are read as text: a version 1.10 isn't
 * 1.1.
 */
export function readCitationText(text: string): PackageContent {
  const cff = parseYaml(text);
  if (typeof cff === 'string') return { warnings: [cff] };
  if (!isJsonObject(cff)) return { warnings: ['it is not a mapping'] };
  if (readText(cff['title']) === undefined || !Array.isArray(cff['authors']))
    return { warnings: ['it has no title or no authors'] };
  return addFolderFields({ warnings: [] }, describeCitation(cff));
}

/**
 * Parses the description of a BIDS data set. Ignores what a template left to fill in. A data set without authors,
 * such as the output of a pipeline, is credited by its name alone: its files aren't the work that its folder is in.
 */
export function readBidsText(text: string): PackageContent {
  const read = readJsonObject(text);
  if (read.kind !== 'object') return { warnings: [describeBrokenJson(read)] };
  const list = (name: string): readonly string[] => listFilledIn(read.value[name]);
  const [title, license] = [list('Name')[0], list('License')[0]];
  const identifier = list('DatasetDOI').find((one) => doiPattern.test(one));
  const contributors = list('Authors').map((name) => ({
    contributor_type: 'Person',
    name,
    contributor_roles: 'Author',
  }));
  if (title === undefined || list('BIDSVersion').length === 0) return { warnings: [] };
  const notes = { ReferencesAndLinks: 'Reference', HowToAcknowledge: 'How to acknowledge' };
  const credit = {
    titles: [{ title }],
    contributors,
    identifier,
    funding: list('Funding').map((funder) => ({ funder })),
    related_identifiers: Object.entries(notes).flatMap(([name, description]) =>
      list(name).map((id) => ({ id, description })),
    ),
  };
  const licenses = license === undefined ? undefined : [{ name: license }];
  return addFolderFields({ warnings: [] }, omitUnknown({ credit: omitUnknown(credit), licenses }));
}

function listFilledIn(value: unknown): readonly string[] {
  const texts = toList(value).flatMap((one) => readText(one) ?? []);
  return texts.some((text) => /^\s*TODO\b/i.test(text)) ? [] : texts;
}

function addFolderFields(content: PackageContent, fields: JsonObject | undefined): PackageContent {
  if (fields === undefined) return content;
  if (JSON.stringify(fields).length <= maxFolderChars) return { ...content, folder: fields };
  return { ...content, warnings: [...content.warnings, 'its credit is longer than allowed'] };
}

function findCrateFile({ '@id': id, '@type': type }: JsonObject, hasFile: (path: string) => boolean) {
  if (!['File', 'MediaObject'].some((name) => toList(type).includes(name))) return undefined;
  // IDs are relative URIs, but many programs don't encode them.
  const possible = listPackagePaths(id);
  return String(id).startsWith('#') ? undefined : possible.length < 2 ? possible[0] : possible.find(hasFile);
}

function describeCrateFile(entities: Entities, file: JsonObject): JsonObject {
  const licenses = listLicenses(entities, file['license']);
  return omitUnknown({
    title: readText(file['name']),
    description: readText(file['description']),
    mediatype: toList(file['encodingFormat']).find((one) => /^[^\s/]+\/[^\s/]+$/.test(String(one))),
    licenses: licenses.length > 0 ? licenses : undefined,
  });
}

function describeCrate(entities: Entities, root: JsonObject): JsonObject | undefined {
  const identifiers = [...getEntities(entities, root['identifier']), root].flatMap((entity) =>
    ['value', 'url', '@id', 'cite-as'].map((name) => readText(entity[name])),
  );
  const known = [...toList(root['identifier']).map(readText), ...identifiers].filter((one) => one !== undefined);
  const identifier = known.find((one) => doiPattern.test(one));
  const contributors = [
    ...listPeople(entities, root['author'] ?? root['creator'], 'Author'),
    ...listPeople(entities, root['editor'], 'Editor'),
  ];
  const publisher = getEntities(entities, root['publisher']).map(({ name }) => readText(name))[0];
  const isCredit = contributors.length > 0 || publisher !== undefined || identifier !== undefined;
  const licenses = listLicenses(entities, root['license'], isCredit);
  const credit = omitUnknown({
    titles: [{ title: readText(root['name']) }],
    contributors,
    publisher: publisher && { organization_name: publisher },
    dates: [
      { event: 'Published', date: readText(root['datePublished']) },
      { event: 'Created', date: readText(root['dateCreated']) },
    ],
    identifier: identifier ?? readText(root['identifier']),
    version: readText(root['version']),
    url: readText(root['url']),
    descriptions: [{ description_text: readText(root['description']) }],
    funding: getEntities(entities, root['funder']).map(({ name }) => ({ funder: readText(name) })),
  });
  if (!isCredit && licenses.length === 0) return undefined;
  return { ...(isCredit && { credit }), ...(licenses.length > 0 && { licenses }) };
}

function listPeople(entities: Entities, value: unknown, role: string): readonly JsonObject[] {
  return toList(value).map((one) => {
    const [person = { name: one }] = isJsonObject(one) ? getEntities(entities, one) : [];
    const affiliations = getEntities(entities, person['affiliation']).map(({ name }) => ({
      organization_name: readText(name),
    }));
    return omitUnknown({
      contributor_type: ['Person', 'Organization'].find((type) => toList(person['@type']).includes(type)),
      name: readText(person['name']),
      given_name: readText(person['givenName']),
      family_name: readText(person['familyName']),
      contributor_id: findAddress(person['@id'], person['identifier']),
      affiliations,
      contributor_roles: role,
    });
  });
}

/** A crate that gives no credit names as its license that of the source. */
function listLicenses(entities: Entities, value: unknown, isCredit = true): readonly JsonObject[] {
  return toList(value).flatMap((one) => {
    if (typeof one === 'string') return [{ name: one }];
    const [entity] = getEntities(entities, one);
    const path = findAddress(entity?.['@id'], entity?.['url'], entity?.['identifier']);
    const name = readText(entity?.['name']);
    return path === undefined && (name === undefined || !isCredit) ? [] : [omitUnknown({ name, path })];
  });
}

function findAddress(...values: readonly unknown[]): string | undefined {
  return values.map(readText).find((text) => text !== undefined && /^https?:/.test(text));
}

function getEntities(entities: Entities, value: unknown): readonly JsonObject[] {
  return toList(value)
    .filter(isJsonObject)
    .map((one) => entities.get(String(one['@id'])) ?? one);
}

function toList(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value.slice(0, maxListed) : [value];
}

function readText(value: unknown): string | undefined {
  const [first] = toList(value);
  const text = isJsonObject(first) ? first['@value'] : first;
  return (typeof text === 'string' && text !== '') || typeof text === 'number'
    ? String(text).slice(0, maxTextChars)
    : undefined;
}

function omitUnknown(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

const citationSchema = FAILSAFE_SCHEMA.withTags(nullCoreTag);

function parseYaml(text: string): unknown {
  try {
    return load(text, { schema: citationSchema });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { reason, mark } = error;
    const place = mark === undefined ? '' : ` (line ${mark.line + 1}, column ${mark.column + 1})`;
    return `it is not valid YAML${place}: ${reason}`;
  }
}

const dataTypes = new Set(['data', 'database', 'dataset']);

/** A preferred citation of data is cited instead of the work; any other one, such as an article, is mentioned. */
function describeCitation(cff: JsonObject): JsonObject {
  const preferred = isJsonObject(cff['preferred-citation']) ? cff['preferred-citation'] : {};
  const isData = dataTypes.has(String(preferred['type'])) && Array.isArray(preferred['authors']);
  const work = isData ? preferred : cff;
  const other = isData ? undefined : (findCitedDoi(preferred) ?? readText(preferred['title']));
  const publisher = isJsonObject(work['publisher']) ? readText(work['publisher']['name']) : undefined;
  const credit = omitUnknown({
    titles: [{ title: readText(work['title']) }],
    contributors: [
      ...toList(work['authors']).map((person) => toContributor(person, 'Author')),
      ...toList(work['editors']).map((person) => toContributor(person, 'Editor')),
    ],
    publisher: publisher && { organization_name: publisher },
    dates: [{ event: 'Issued', date: findCitedDate(work) }],
    identifier: findCitedDoi(work),
    version: readText(work['version']),
    url: ['url', 'repository', 'repository-code'].map((name) => readText(work[name])).find(Boolean),
    descriptions: [{ description_text: readText(work['abstract']) }],
    related_identifiers: other && [{ id: other, description: 'Preferred citation' }],
  });
  const names = toList(work['license'] ?? cff['license']).map((name) => ({ name: readText(name) }));
  const path = readText(work['license-url'] ?? cff['license-url']);
  const licenses = names.length > 0 || path === undefined ? names : [{ path }];
  return { credit, ...(licenses.length > 0 && { licenses }) };
}

function findCitedDoi({ doi, identifiers }: JsonObject): string | undefined {
  const [listed] = toList(identifiers)
    .filter(isJsonObject)
    .filter(({ type }) => type === 'doi');
  return readText(doi) ?? readText(listed?.['value']);
}

function findCitedDate(work: JsonObject): string | undefined {
  const day = ['date-released', 'date-published', 'issue-date'].map((name) => readText(work[name])).find(Boolean);
  const [year, month] = [readText(work['year']), readText(work['month'])];
  return day ?? (year === undefined || month === undefined ? year : `${year}-${month.padStart(2, '0')}`);
}

function toContributor(person: unknown, role: string): JsonObject {
  const read = (field: string): string | undefined => (isJsonObject(person) ? readText(person[field]) : undefined);
  const family = ['name-particle', 'family-names', 'name-suffix'].map(read).filter(Boolean).join(' ');
  const [name, affiliation] = [read('name'), read('affiliation')];
  return omitUnknown({
    contributor_type: name === undefined ? 'Person' : 'Organization',
    name: name ?? read('alias') ?? readText(person),
    given_name: read('given-names'),
    family_name: family || undefined,
    contributor_id: read('orcid'),
    affiliations: affiliation === undefined ? undefined : [{ organization_name: affiliation }],
    contributor_roles: role,
  });
}
