import type { JsonObject } from '../util/json.ts';
import type { Citation, CitedName, CitedPeople, CitedWork } from './citation.ts';
import { readCitedWork } from './creditReader.ts';
import { readText } from './creditText.ts';

/** A file to cite, with its metadata and, if known, the name of its database. */
export interface CitableFile {
  readonly name: string;
  readonly database?: string;
  readonly resource: JsonObject;
}

/** A citable unit: the files that one citation covers, and the work that each file's metadata describes. */
interface Unit {
  readonly files: CitableFile[];
  readonly works: CitedWork[];
  /** The ID that all files of the unit share. Computed only when another file has the same DOI or title. */
  id?: string;
}

interface CitedFile {
  readonly file: CitableFile;
  readonly work: CitedWork;
}

/**
 * Returns one citation for each citable unit. The files of a unit have the same DOI or, without one, the same
 * publisher, titles, contributors and version. Files without a title must also be in the same database. `accessed` is
 * the day on which the files were transferred, as `YYYY-MM-DD`.
 */
export function listCitations(files: readonly CitableFile[], accessed?: string): readonly Citation[] {
  const index: UnitIndex = { units: [], byLabel: new Map(), byId: new Map() };
  for (const file of files) addFile(index, file, readCitedWork(file.resource));
  const usedKeys = new Map<string, number>();
  return index.units.map((unit) => createCitation(unit, usedKeys, accessed));
}

/** Citable units in the order of their first files. `byLabel`: the first with each DOI or title; `byId`: others. */
interface UnitIndex {
  readonly units: Unit[];
  readonly byLabel: Map<string, Unit>;
  readonly byId: Map<string, Unit>;
}

function addFile(index: UnitIndex, file: CitableFile, work: CitedWork): void {
  const label = work.doi?.toLowerCase() ?? work.title ?? '';
  const sameLabel = index.byLabel.get(label);
  if (sameLabel) addToLabel(index, sameLabel, { file, work });
  else index.byLabel.set(label, addUnit(index, file, work));
}

/**
 * Adds a file to the unit with the same ID, or to a new unit. Called only if another file has the same DOI or title,
 * because composing an ID is slow.
 */
function addToLabel(index: UnitIndex, sameLabel: Unit, { file, work }: CitedFile): void {
  const id = getUnitId(work, file);
  sameLabel.id ??= getUnitId(sameLabel.works[0] ?? work, sameLabel.files[0] ?? file);
  const unit = sameLabel.id === id ? sameLabel : index.byId.get(id);
  unit?.files.push(file);
  if (unit) unit.works.push(work);
  else index.byId.set(id, addUnit(index, file, work));
}

function addUnit({ units }: UnitIndex, file: CitableFile, work: CitedWork): Unit {
  const unit: Unit = { files: [file], works: [work] };
  units.push(unit);
  return unit;
}

/** Returns a key that all files of a unit share. Credit metadata never contains its line breaks and tabs. */
function getUnitId(work: CitedWork, { database = '' }: CitableFile): string {
  if (work.doi !== undefined) return work.doi.toLowerCase();
  const { title = '', otherTitles, publisher = '', version = '', authors, editors, contributors } = work;
  const people = `${joinNames(authors)}\n${joinNames(editors)}\n${contributors.map(({ name }) => getNameId(name)).join('\t')}`;
  const place = title === '' ? database : '';
  return `${publisher}\n${title}\n${otherTitles.join('\t')}\n${people}\n${version}\n${place}`;
}

function joinNames(names: readonly CitedName[]): string {
  return names.length === 1 && names[0] ? getNameId(names[0]) : names.map(getNameId).join('\t');
}

function getNameId({ family = '', given = '', literal = '' }: CitedName): string {
  return literal === '' ? `${family}, ${given}` : literal;
}

function createCitation(unit: Unit, usedKeys: Map<string, number>, accessed: string | undefined): Citation {
  const [first] = unit.works;
  const work = first && unit.works.length === 1 ? first : mergeWorks(unit.works);
  const title = work.title ?? describeFiles(unit.files);
  const key = createKey(work, title, usedKeys);
  // Listing the properties is faster than spreading `work`.
  return {
    title,
    otherTitles: work.otherTitles,
    authors: work.authors,
    editors: work.editors,
    contributors: work.contributors,
    publisher: work.publisher,
    issued: work.issued,
    version: work.version,
    doi: work.doi,
    identifier: work.identifier,
    url: work.url,
    abstract: work.abstract,
    licenses: work.licenses,
    notes: work.notes,
    key,
    fileCount: unit.files.length,
    accessed,
  };
}

/**
 * Merges the works of a unit's files. Combines lists, and takes the latest date and the first publisher and version.
 * Leaves out the identifier, URL or abstract if it isn't the same for all files.
 */
function mergeWorks(works: readonly CitedWork[]): CitedWork {
  const [title, ...otherTitles] = unite(
    works.flatMap((work) => (work.title === undefined ? work.otherTitles : [work.title, ...work.otherTitles])),
  );
  const dates = works.map(({ issued }) => issued).filter((date) => date !== undefined);
  const getCommon = (field: 'identifier' | 'url' | 'abstract'): string | undefined =>
    works.every((work) => work[field] === works[0]?.[field]) ? works[0]?.[field] : undefined;
  return {
    title,
    issued: dates.sort().at(-1),
    doi: works[0]?.doi,
    publisher: findFirst(works, 'publisher'),
    version: findFirst(works, 'version'),
    identifier: getCommon('identifier'),
    url: getCommon('url'),
    abstract: getCommon('abstract'),
    otherTitles,
    ...mergeNames(works),
    licenses: uniteBy(
      works.flatMap(({ licenses }) => licenses),
      ({ name }) => name,
    ),
    notes: unite(works.flatMap(({ notes }) => notes)),
  };
}

function findFirst(works: readonly CitedWork[], field: 'publisher' | 'version'): string | undefined {
  return works.find((work) => work[field] !== undefined)?.[field];
}

/** Merges the people credited by multiple works. An author of any work is listed only as an author. */
function mergeNames(works: readonly CitedWork[]): CitedPeople {
  const authors = uniteBy(
    works.flatMap((work) => work.authors),
    getNameId,
  );
  const known = new Set(authors.map(getNameId));
  const isOther = (name: CitedName): boolean => !known.has(getNameId(name));
  const editors = works.flatMap((work) => work.editors).filter(isOther);
  const contributors = works.flatMap((work) => work.contributors).filter(({ name }) => isOther(name));
  return {
    authors,
    editors: uniteBy(editors, getNameId),
    contributors: uniteBy(contributors, ({ name }) => getNameId(name)),
  };
}

function unite(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}

/** Returns the first value for each ID. */
function uniteBy<T>(values: readonly T[], getId: (value: T) => string): readonly T[] {
  const found = new Map<string, T>();
  for (const value of values) {
    const id = getId(value);
    if (!found.has(id)) found.set(id, value);
  }
  return [...found.values()];
}

/** Describes files without a title: `a.txt and 2 more files (Database)`. */
function describeFiles(files: readonly CitableFile[]): string {
  const [first] = files;
  const more = files.length - 1;
  const others = more === 0 ? '' : ` and ${String(more)} more ${more === 1 ? 'file' : 'files'}`;
  const database = readText(first?.database);
  return `${readText(first?.name) ?? 'Untitled'}${others}${database === undefined ? '' : ` (${database})`}`;
}

/** Creates a key such as `wrighton2021prochlorococcus`. Appends a number if the key is already in use. */
function createKey(work: CitedWork, title: string, usedKeys: Map<string, number>): string {
  const [author = work.editors[0]] = work.authors;
  const name = toKeyWord(author?.family ?? abbreviate(author?.literal ?? work.publisher ?? ''));
  const word = findTitleWord(title);
  const key = `${name}${name === '' && word === '' ? 'dataset' : ''}${work.issued?.slice(0, 4) ?? ''}${word}`;
  const count = (usedKeys.get(key) ?? 0) + 1;
  usedKeys.set(key, count);
  return count === 1 ? key : `${key}-${String(count)}`;
}

/** Returns the initials of a name of three words or more, as in `jgi` for Joint Genome Institute. Skips small words. */
function abbreviate(name: string): string {
  const words = name.split(' ').filter((word) => word.length > 3 || /^\p{Lu}/u.test(word));
  return words.length < 3 ? name : words.map((word) => word.slice(0, 1)).join('');
}

function findTitleWord(title: string): string {
  let start = 0;
  while (start < title.length) {
    const end = title.indexOf(' ', start);
    const word = toKeyWord(title.slice(start, end === -1 ? undefined : end));
    if (word.length > 3) return word;
    start = end === -1 ? title.length : end + 1;
  }
  return '';
}

function toKeyWord(text: string): string {
  if (/^[a-z]{0,30}$/i.test(text)) return text.toLowerCase();
  const start = text.slice(0, 200);
  const plain = /^[ -~]*$/.test(start) ? start : start.normalize('NFD');
  return plain
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '')
    .slice(0, 30);
}
