import type { StatedLicense, TransferFile } from '../model/transferModel.ts';
import { shortenText } from '../util/displayLimits.ts';
import { isJsonObject, type JsonObject } from '../util/json.ts';
import { identifyLicense, isPortedLicense } from '../util/spdxLicense.ts';

const maxLength = 5_000;
const noObjects: readonly JsonObject[] = [];
const hasContent = /[\p{L}\p{N}\p{S}]/u;
const isPlain = /^[A-Za-z0-9][!-~]*(?: [!-~]+)*$/;
const invisible = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\uFEFF]+/gu;

/**
 * Returns a string or number as one line of text of at most 5,000 characters. Replaces control characters, including
 * bidirectional ones, with spaces. Returns undefined for any other value and for text without a letter, digit or
 * symbol, because servers send `""` or `","` for unknown values.
 */
export function readText(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value !== 'string' || value === '') return undefined;
  if (value.length <= maxLength && isPlain.test(value)) return value;
  if (!hasContent.test(value)) return undefined;
  const line = value.replace(invisible, ' ').normalize('NFC').replace(/\s+/gu, ' ').trim();
  return shortenText(line, maxLength);
}

/** Returns the value if it is an object; otherwise, an empty object. */
export function toObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Returns the objects in a list; an empty list if the value is not a list. */
export function listObjects(value: unknown): readonly JsonObject[] {
  if (!Array.isArray(value) || value.length === 0) return noObjects;
  return value.every(isJsonObject) ? value : value.filter(isJsonObject);
}

/**
 * Appends a value to a list, or creates a list with only this value, and returns the list. Pushing to an empty array
 * would reserve space for many values, but most lists in a citation have only one value.
 */
export function append<T>(list: T[] | undefined, value: T): T[] {
  if (!list) return [value];
  list.push(value);
  return list;
}

/** Returns the texts that {@link readText} reads from the values in a list. */
export function listTexts(values: readonly unknown[]): readonly string[] {
  return values.map(readText).filter((text) => text !== undefined);
}

/** Returns a copy of the object without its undefined properties. */
export function omitUndefined<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const known: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const name in object) {
    const value = object[name];
    if (value !== undefined) known[name] = value as Exclude<T[typeof name], undefined>;
  }
  return known;
}

/** Matches a DOI without the characters with which a bibliography could contain commands of TeX. */
const plainDoi = /^10\.\d{4,9}\/[^\s{}\\"^]+$/;
const doiPrefix = /^(?:https?:\/\/(?:dx\.)?doi\.org\/|doi:\s*)/i;

/**
 * Parses a DOI with or without a prefix: `10.1234/a`, `doi:10.1234/a`, `https://doi.org/10.1234/a`. Returns the DOI
 * without the prefix; undefined for any other text.
 */
export function parseDoi(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const doi = text.startsWith('10.') ? text : text.replace(doiPrefix, '');
  return plainDoi.test(doi) ? doi : undefined;
}

/** Matches simple URLs, mostly normalized ones; path segments such as `..` also match. */
const plainAddress = /^https?:\/\/[a-z\d]+(?:[.-][a-z\d]+)*\/[\w./~-]*$/;

/**
 * Returns an HTTP or HTTPS URL in normalized form, in which spaces, braces and non-ASCII characters are encoded.
 * Returns undefined for any other value, and for URLs that contain a user name or password.
 */
export function parseWebAddress(value: unknown): string | undefined {
  if (isPlainAddress(value)) return value;
  const text = readText(value);
  if (text === undefined || !/^https?:\/\//i.test(text)) return undefined;
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return undefined;
  return url.href.replace(/[{}\\^`|]/g, encodeURIComponent);
}

function isPlainAddress(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxLength && plainAddress.test(value) && !value.includes('/.');
}

/** A license stated in metadata. */
export interface License {
  /** The SPDX ID of a known license; otherwise, the name or address in the metadata. */
  readonly name: string;
  readonly url?: string;
  /** True if `name` is an SPDX ID. */
  readonly isSpdx: boolean;
}

/** The number of files under a license; without `license`, the number of files that state none. */
export interface LicenseCount {
  readonly license?: License;
  readonly fileCount: number;
  /** True if the license, judging by its name, forbids redistribution of the files. */
  readonly forbidsSharing: boolean;
}

const sharingForbidden =
  /\b(?:all rights reserved|proprietary|confidential|no[nt]?[\s-]re-?distribut|do not (?:re-?distribut|share))/i;

/** Returns the licenses in a resource and in its credit metadata, without duplicates. */
export function readLicenses(resource: JsonObject): readonly License[] {
  let all: License[] | undefined;
  for (const entry of listObjects(resource['licenses'])) all = addLicense(all, readLicense(entry));
  all = addLicense(all, readLicense(resource['license'] ?? resource['licence']));
  all = addLicense(all, readLicense(toObject(resource['credit'])['license']));
  if (!all || all.length === 1) return all ?? noLicenses;
  return [...new Map(all.map((license) => [license.name, license])).values()];
}

function addLicense(licenses: License[] | undefined, license: License | undefined): License[] | undefined {
  return license ? append(licenses, license) : licenses;
}

const noLicenses: readonly License[] = [];

/** Returns a resource's licenses in the short form that transfer records store. */
export function readStatedLicenses(resource: JsonObject): readonly StatedLicense[] {
  return readLicenses(resource).map(({ name, url, isSpdx }) =>
    isSpdx || url === undefined || url === name ? { name } : { name, url },
  );
}

/** Counts a transfer's files by license. Leaves out files whose metadata was unknown. */
export function countFileLicenses(files: readonly TransferFile[]): readonly LicenseCount[] {
  return countLicenses(
    files.flatMap(({ licenses }) =>
      licenses ? [{ licenses: licenses.map(({ name, url: path }) => ({ name, path })) }] : [],
    ),
  );
}

function readLicense(value: unknown): License | undefined {
  if (typeof value === 'string') return toLicense(readText(value), undefined);
  const { id, name, type, title, path, url } = toObject(value);
  return toLicense(readText(id) ?? readText(name) ?? readText(type) ?? readText(title), path ?? url);
}

function toLicense(name: string | undefined, path: unknown): License | undefined {
  const url = parseWebAddress(path) ?? parseWebAddress(name);
  if (name === undefined && url === undefined) return undefined;
  const spdxId = identifyLicense(name ?? '', url ?? '');
  if (spdxId !== undefined)
    return { name: spdxId, url: url ?? `https://spdx.org/licenses/${spdxId}.html`, isSpdx: true };
  const shown = url !== undefined && isPortedLicense(url) ? url : (name ?? url);
  return shown === undefined ? undefined : { name: shown, ...(url !== undefined && { url }), isSpdx: false };
}

/** Counts files by license, most frequent first. Files without a license come last. */
function countLicenses(resources: readonly JsonObject[]): readonly LicenseCount[] {
  const licenses = new Map<string, License>();
  const counts = new Map<string, number>();
  for (const resource of resources) {
    const stated = readLicenses(resource);
    for (const license of stated) if (!licenses.has(license.name)) licenses.set(license.name, license);
    for (const name of stated.length === 0 ? [''] : stated.map(({ name }) => name))
      counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .sort(([a, countA], [b, countB]) => Number(a === '') - Number(b === '') || countB - countA)
    .map(([name, fileCount]) => toLicenseCount(licenses.get(name), fileCount));
}

function toLicenseCount(license: License | undefined, fileCount: number): LicenseCount {
  const forbidsSharing = license !== undefined && sharingForbidden.test(license.name);
  return { ...(license && { license }), fileCount, forbidsSharing };
}
