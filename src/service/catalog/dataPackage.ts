import { isDeeperThan, isJsonObject, type JsonObject } from '../../core/util/json.ts';
import { listPackagePaths, parseManifestPath, parsePackagePath } from '../../core/util/fileId.ts';
import { readJsonObject } from '../../core/util/jsonObject.ts';
import { addInheritedFields, getInheritedFields } from '../../core/util/packageFields.ts';
import { isOwnManifest } from '../../core/util/transferFolderNames.ts';
import { toQuotable } from '../http/quotable.ts';

/** Metadata that a Data Package provides for files, keyed by path relative to the package's folder. */
export type PackageMetadata = ReadonlyMap<string, JsonObject>;

/** The content of a folder's Data Package, and the problems with it. */
export interface PackageContent {
  /** Absent if there is no readable Data Package. */
  readonly metadata?: PackageMetadata;
  /** The fields that apply to all files of the folder which state no credit of their own. */
  readonly folder?: JsonObject;
  /** Descriptions of problems for the log, as clauses such as `resource 3 has no path`. */
  readonly warnings: readonly string[];
}

interface PackageReading {
  /** Fields that each resource inherits from the package. */
  readonly inherited: JsonObject;
  /** True if resource IDs become file IDs. */
  readonly hasIds: boolean;
  readonly isOwn: boolean;
  readonly hasFile: (path: string) => boolean;
}

/** The folder of a Data Package or RO-Crate. */
export interface PackageFolder {
  /** For the manifest of a transfer, the name of its folder (D24: destination layout). */
  readonly transferFolder?: string;
  /** Returns true if the package's folder has a file. */
  readonly hasFile?: (path: string) => boolean;
}

/**
 * Parses a package according to version 1 or 2 of the Data Package standard. Skips resources without a local file; if
 * two resources name the same path, the first one wins.
 */
export function readPackageText(
  text: string,
  { transferFolder, hasFile = () => true }: PackageFolder = {},
): PackageContent {
  const read = readJsonObject(text);
  if (read.kind !== 'object') return { warnings: [describeBrokenJson(read)] };
  const json = read.value;
  if (!Array.isArray(json['resources'])) return { warnings: ['it has no list of resources'] };
  const reading: PackageReading = {
    inherited: pickResourceFields(getInheritedFields(json)),
    // The IDs in a manifest are the source's. They aren't unique if a file is transferred more than once.
    hasIds: transferFolder === undefined,
    isOwn: isOwnManifest(transferFolder ?? '', json),
    hasFile,
  };
  const metadata = new Map<string, JsonObject>();
  const warnings: string[] = [];
  let left = maxChars;
  for (const [index, resource] of json['resources'].entries()) {
    const onWarning = (warning: string): void => addWarning(warnings, index, warning);
    if (isJsonObject(resource)) left -= addResource(metadata, resource, reading, left, onWarning);
    else onWarning('is not an object');
  }
  return { metadata, warnings };
}

/** Describes text that isn't a JSON object, with the place of the first error. */
export function describeBrokenJson(read: ReturnType<typeof readJsonObject>): string {
  const place = read.kind === 'broken' ? ` (line ${read.line}, column ${read.column})` : '';
  return `it is not a JSON object${place}`;
}

/**
 * Maximum number of JSON characters in a package's metadata. A resource's metadata counts once for each of its files,
 * because a single resource can have very many paths.
 */
export const maxChars = 64 * 1024 * 1024;

/** Maximum number of problems with a Data Package that are logged. */
export const maxWarnings = 20;

function addWarning(warnings: string[], index: number, warning: string): void {
  if (warnings.length < maxWarnings) warnings.push(`resource ${index} ${warning}`);
}

/** Returns the JSON size of the metadata that was added, or 0 if the resource is skipped. */
function addResource(
  metadata: Map<string, JsonObject>,
  resource: JsonObject,
  reading: PackageReading,
  maxSize: number,
  onWarning: (warning: string) => void,
): number {
  const paths: unknown[] = Array.isArray(resource['path']) ? resource['path'] : [resource['path']];
  const places = paths.flatMap((path) => getResourcePaths(path, resource, reading, onWarning));
  if (places.length === 0) return 0;
  const all = Object.entries(addInheritedFields(pickResourceFields(resource), reading.inherited));
  const isOnlyPath = paths.length === 1;
  const usable = all.filter(([name, value]) => isFieldUsable(name, value, isOnlyPath, onWarning));
  const fields = Object.fromEntries(usable.filter(([name]) => name !== 'id' || (reading.hasIds && isOnlyPath)));
  const size = places.length * JSON.stringify(fields).length;
  if (size > maxSize) {
    onWarning('is skipped: the package has more metadata than allowed');
    return 0;
  }
  for (const place of places) {
    if (metadata.has(place)) onWarning(`names "${toQuotable(place)}" again; only the first counts`);
    else metadata.set(place, fields);
  }
  return size;
}

function getResourcePaths(
  path: unknown,
  resource: JsonObject,
  { isOwn, hasFile }: PackageReading,
  onWarning: (warning: string) => void,
): string[] {
  const place = isOwn ? parseManifestPath(path) : parsePackagePath(path);
  if (place === undefined && resource['data'] === undefined) onWarning('has no path');
  if (place === undefined || place.kind === 'remote') return [];
  const known = isOwn || !/[\\%]/.test(String(path));
  if (known && place.kind === 'file') return [place.path];
  const possible = known ? [] : listPackagePaths(path);
  const existing = possible.find(hasFile);
  if (existing !== undefined) return [existing];
  const problem = possible.length > 0 ? 'names a missing file' : 'has a path that points outside the package';
  onWarning(`${problem}: "${toQuotable(String(path))}"`);
  return possible.slice(0, 1);
}

/** Returns true unless a field is a hash of multiple files, or a schema or dialect outside the package. */
function isFieldUsable(
  name: string,
  value: unknown,
  isOnlyPath: boolean,
  onWarning: (warning: string) => void,
): boolean {
  if (name === 'hash') return isOnlyPath;
  if ((name !== 'schema' && name !== 'dialect') || parsePackagePath(value)?.kind !== 'unsafe') return true;
  onWarning(`has a ${name} that points outside the package: "${toQuotable(String(value))}"`);
  return false;
}

const textFields = ['id', 'name', 'title', 'description', 'format', 'mediatype', 'encoding', 'hash', 'profile', 'type'];
const objectLists = ['sources', 'licenses', 'contributors'];
const textLists = ['keywords'];
/** Fields whose value is an object, a path or a URL. */
const tables = ['schema', 'dialect'];
/** Fields that the service derives from the file; `data` belongs to resources without a file. */
const reservedFields = new Set(['path', 'bytes', 'modified', 'data']);

const hashPattern = /^([^:\s]+:[a-fA-F0-9]+|[a-fA-F0-9]{32})$/;
/** Matches IDs that can be joined by commas or line breaks, and that cannot point outside the folder. */
const idPattern = /^(?!\s|(?:.*\/)?\.\.(?:\/|$))[^,\p{C}\u2028\u2029]{1,500}(?<!\s)$/u;
const patterns: Readonly<Record<string, RegExp>> = {
  id: idPattern,
  hash: hashPattern,
  mediatype: /^[^\s/]+\/[^\s/]+$/,
};

const maxDepth = 50;
/** Maximum number of JSON characters of the fields that a resource or package adds to each file. */
const maxFieldChars = 256 * 1024;

/** Picks the fields that have the right type, aren't nested too deeply, and fit the size limit. */
function pickResourceFields(resource: JsonObject): JsonObject {
  const fields: JsonObject = {};
  let left = maxFieldChars;
  for (const [name, value] of Object.entries(resource)) {
    const usable = reservedFields.has(name) || name === '__proto__' ? undefined : toUsableValue(name, value);
    if (usable === undefined || isDeeperThan(usable, maxDepth)) continue;
    const size = JSON.stringify(usable).length;
    if (size > left) continue;
    left -= size;
    fields[name] = usable;
  }
  return fields;
}

function toUsableValue(name: string, value: unknown): unknown {
  if (value === null || value === undefined || value === '') return undefined;
  if (objectLists.includes(name)) return toUsableList(value, isJsonObject);
  if (textLists.includes(name)) return toUsableList(value, isText);
  if (tables.includes(name)) return isText(value) || isJsonObject(value) ? value : undefined;
  if (!textFields.includes(name)) return value;
  return isText(value) && (patterns[name]?.test(value) ?? true) ? value : undefined;
}

function toUsableList(value: unknown, isUsable: (entry: unknown) => boolean): readonly unknown[] | undefined {
  const entries = Array.isArray(value) ? value.filter(isUsable) : [];
  return entries.length === 0 ? undefined : entries;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
