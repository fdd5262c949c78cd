import * as z from 'zod/mini';
import { isJsonObject, type JsonObject } from '../../core/util/json.ts';

/** Metadata of files, as a `datapackage.json` gives it; keys are paths relative to the package's folder. */
export type PackageMetadata = ReadonlyMap<string, JsonObject>;

const textFields = ['name', 'title', 'description', 'format', 'mediatype', 'encoding', 'hash', 'profile'] as const;
const listFields = ['sources', 'licenses', 'contributors', 'keywords'] as const;
/** What a resource takes from its package when it says nothing itself. */
const inherited = ['sources', 'licenses', 'contributors'] as const;
/** Said by the service itself, from the file. */
const own = new Set(['id', 'path', 'bytes', 'modified', 'data']);

const packageSchema = z.looseObject({ resources: z.array(z.unknown()) });
const hashPattern = /^([^:\s]+:[a-fA-F0-9]+|[a-fA-F0-9]{32})$/;
const formPatterns: Readonly<Record<string, RegExp>> = { hash: hashPattern, mediatype: /^[^\s/]+\/[^\s/]+$/ };

/** Reads a package's text. Undefined when it is no Data Package; a resource that makes no sense is left out. */
export function parseDataPackage(text: string): PackageMetadata | undefined {
  const json = z.safeParse(packageSchema, parseJson(text));
  if (!json.success) return undefined;
  const metadata = new Map<string, JsonObject>();
  for (const resource of json.data.resources) {
    if (!isJsonObject(resource)) continue;
    const paths = Array.isArray(resource['path']) ? resource['path'] : [resource['path']];
    for (const path of paths) addResource(metadata, path, resource, json.data, paths.length > 1);
  }
  return metadata;
}

function addResource(
  metadata: Map<string, JsonObject>,
  path: unknown,
  resource: JsonObject,
  parent: JsonObject,
  isOneOfMany: boolean,
): void {
  const place = typeof path === 'string' ? safePath(path) : undefined;
  if (place === undefined) return;
  const fields = cleanFields(resource);
  if (isOneOfMany) delete fields['hash'];
  for (const field of inherited) {
    if (fields[field] === undefined && Array.isArray(parent[field])) fields[field] = parent[field];
  }
  metadata.set(place, fields);
}

function cleanFields(resource: JsonObject): JsonObject {
  const fields: JsonObject = {};
  for (const [name, value] of Object.entries(resource)) {
    if (!own.has(name) && isUsable(name, value)) fields[name] = value;
  }
  return fields;
}

function isUsable(name: string, value: unknown): boolean {
  if (name === '__proto__' || value === null || value === '') return false;
  if (listFields.some((field) => field === name)) return Array.isArray(value);
  if (!textFields.some((field) => field === name)) return true;
  return typeof value === 'string' && (formPatterns[name]?.test(value) ?? true);
}

/** A path within the package's folder; undefined for an address, an absolute path, or one that leads out. */
function safePath(path: string): string | undefined {
  const parts = path.split('/').filter((part) => part !== '.' && part !== '');
  const leadsOut = path.startsWith('/') || path.includes('://') || path.includes('\\') || parts.includes('..');
  return leadsOut || parts.length === 0 ? undefined : parts.join('/');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}
