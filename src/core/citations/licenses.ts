import type { StatedLicense, TransferFile } from '../model/transferModel.ts';
import type { JsonObject } from '../util/json.ts';
import { findSpdxId } from '../util/spdxLicense.ts';
import { append, listObjects, parseWebAddress, readText, toObject } from './creditText.ts';

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
  for (const { name, title, path } of listObjects(resource['licenses']))
    all = addLicense(all, toLicense(name ?? title, path));
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
  const { id, name, url } = toObject(value);
  return typeof value === 'string' ? toLicense(value, undefined) : toLicense(readText(id) ?? name, url);
}

function toLicense(written: unknown, path: unknown): License | undefined {
  const name = readText(written);
  const url = parseWebAddress(path) ?? parseWebAddress(name);
  const spdxId = findSpdxId(name ?? '') ?? findSpdxId(url ?? '');
  if (spdxId !== undefined)
    return { name: spdxId, url: url ?? `https://spdx.org/licenses/${spdxId}.html`, isSpdx: true };
  const shown = name ?? url;
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
