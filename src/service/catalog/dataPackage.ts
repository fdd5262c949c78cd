import { isJsonObject, type JsonObject } from '../../core/util/json.ts';
import { quotable } from '../http/quotable.ts';
import { inheritedFields, resourceFields } from './packageFields.ts';
import { landedPath, packagePath, type PackagePath } from '../../core/util/packagePath.ts';
import { isOwnManifest } from '../../core/util/landedNames.ts';

/** Metadata of files, as a `datapackage.json` gives it; keys are paths relative to the package's folder. */
export type PackageMetadata = ReadonlyMap<string, JsonObject>;

/** What was read of a package. */
export interface ReadPackage {
  /** Absent when it is no Data Package. */
  readonly metadata?: PackageMetadata;
  /** What was passed over, each a sentence without its end: for the log. */
  readonly troubles: readonly string[];
}

/** Says how the resources of a package are read. */
interface PackageReading {
  /** Fields that each resource takes from its package. */
  readonly inherited: JsonObject;
  /** The ids of the resources are those of the files. */
  readonly hasIds: boolean;
  readonly readPath: typeof packagePath;
}

/**
 * Reads a package's text by the rules of the Data Package standard, in its first and second edition (D20). A resource
 * that has only inline data, or is elsewhere on the network, is no file and left out; of two resources for one path
 * the first counts. `landingFolder` names the folder of a manifest (D24); absent for a `datapackage.json`. Never throws.
 */
export function readPackageText(text: string, landingFolder?: string): ReadPackage {
  const json = parseJson(text);
  if (!isJsonObject(json)) return { troubles: ['it is not a JSON object'] };
  if (!Array.isArray(json['resources'])) return { troubles: ['it has no list of resources'] };
  const reading: PackageReading = {
    inherited: inheritedFields(json),
    // A manifest has the ids of the source, and the same file can land many times.
    hasIds: landingFolder === undefined,
    readPath: isOwnManifest(landingFolder ?? '', json['id']) ? landedPath : packagePath,
  };
  const metadata = new Map<string, JsonObject>();
  const troubles: string[] = [];
  let left = maxChars;
  for (const [index, resource] of json['resources'].entries()) {
    const onTrouble = (trouble: string): void => note(troubles, index, trouble);
    if (isJsonObject(resource)) left -= addResource(metadata, resource, reading, left, onTrouble);
    else onTrouble('is no object');
  }
  return { metadata, troubles };
}

/** Of the metadata that a package gives to all files together, as JSON: a resource can have very many paths. */
export const maxChars = 64 * 1024 * 1024;

/** How many troubles of a package are told. */
export const mostTroubles = 20;

function note(troubles: string[], index: number, trouble: string): void {
  if (troubles.length < mostTroubles) troubles.push(`resource ${index} ${trouble}`);
}

/** Returns the size of what it added. */
function addResource(
  metadata: Map<string, JsonObject>,
  resource: JsonObject,
  reading: PackageReading,
  maxSize: number,
  onTrouble: (trouble: string) => void,
): number {
  const paths: unknown[] = Array.isArray(resource['path']) ? resource['path'] : [resource['path']];
  const places = paths.flatMap((path) => placeOf(reading.readPath(path), path, resource, onTrouble));
  if (places.length === 0) return 0;
  const all = Object.entries({ ...reading.inherited, ...resourceFields(resource) });
  const isAlone = paths.length === 1;
  const kept = all.filter(([name, value]) => isKept(name, value, isAlone, onTrouble));
  const fields = Object.fromEntries(kept.filter(([name]) => name !== 'id' || (reading.hasIds && isAlone)));
  const size = places.length * JSON.stringify(fields).length;
  if (size > maxSize) {
    onTrouble('is left out: the package describes more than is kept');
    return 0;
  }
  for (const place of places) {
    if (metadata.has(place)) onTrouble(`names "${quotable(place)}" again; the first that names it counts`);
    else metadata.set(place, fields);
  }
  return size;
}

function placeOf(
  place: PackagePath | undefined,
  path: unknown,
  resource: JsonObject,
  onTrouble: (trouble: string) => void,
): string[] {
  if (place?.kind === 'file') return [place.path];
  if (place?.kind === 'unsafe') onTrouble(`has a path that leads out of the package: "${quotable(String(path))}"`);
  if (place === undefined && resource['data'] === undefined) onTrouble('has no path');
  return [];
}

/** One hash cannot be that of several files; a schema or dialect may be in place, an address, or within the package. */
function isKept(name: string, value: unknown, isAlone: boolean, onTrouble: (trouble: string) => void): boolean {
  if (name === 'hash') return isAlone;
  if ((name !== 'schema' && name !== 'dialect') || packagePath(value)?.kind !== 'unsafe') return true;
  onTrouble(`has a ${name} that leads out of the package: "${quotable(String(value))}"`);
  return false;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}
