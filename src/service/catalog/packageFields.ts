import { isDeeperThan, isJsonObject, type JsonObject } from '../../core/util/json.ts';

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

const packageTexts = ['title', 'id', 'doi', 'homepage', 'version', 'created'];

const maxDepth = 50;
/**
 * Maximum number of JSON characters in the fields that a resource, or its package, adds to the metadata of each file.
 */
const maxChars = 256 * 1024;

/**
 * Returns the usable fields of a resource: those that have the right type, aren't nested too deeply, and fit within the
 * size limit.
 */
export function pickResourceFields(resource: JsonObject): JsonObject {
  const fields: JsonObject = {};
  let left = maxChars;
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

/**
 * Returns the fields that a resource inherits from its package: licenses, sources, contributors, and a `package` field
 * that describes the package.
 */
export function pickInheritedFields(parent: JsonObject): JsonObject {
  const lists = objectLists.map((name) => [name, parent[name]] as const);
  return pickResourceFields(Object.fromEntries([...lists, ['package', buildPackageField(parent)]]));
}

/** Returns the fields that describe a file's package; undefined if the package has none of them, or only `created`. */
function buildPackageField(parent: JsonObject): JsonObject | undefined {
  const texts = packageTexts.flatMap((name) => {
    const value = parent[name];
    return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
  });
  const keywords = toUsableValue('keywords', parent['keywords']);
  const fields = { ...Object.fromEntries(texts), ...(keywords === undefined ? {} : { keywords }) };
  return Object.keys(fields).some((name) => name !== 'created') ? fields : undefined;
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
