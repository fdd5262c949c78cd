import { isDeeperThan, isJsonObject, type JsonObject } from '../../core/util/json.ts';

const textFields = ['id', 'name', 'title', 'description', 'format', 'mediatype', 'encoding', 'hash', 'profile', 'type'];
const objectLists = ['sources', 'licenses', 'contributors'];
const textLists = ['keywords'];
/** What may stand in place or be named by a path or an address. */
const tables = ['schema', 'dialect'];
/** Said by the service itself, from the file; `data` is a resource without a file. */
const own = new Set(['path', 'bytes', 'modified', 'data']);

const hashPattern = /^([^:\s]+:[a-fA-F0-9]+|[a-fA-F0-9]{32})$/;
/** Fit for a list of ids joined by commas and for a line of text, and not to be mistaken for a way out of the folder. */
const idPattern = /^(?!\s|(?:.*\/)?\.\.(?:\/|$))[^,\p{C}\u2028\u2029]{1,500}(?<!\s)$/u;
const forms: Readonly<Record<string, RegExp>> = {
  id: idPattern,
  hash: hashPattern,
  mediatype: /^[^\s/]+\/[^\s/]+$/,
};

const packageTexts = ['title', 'id', 'doi', 'homepage', 'version', 'created'];

const maxDepth = 50;
/** Of the metadata of one file as JSON: it is kept, searched and answered for each file by itself. */
const maxChars = 256 * 1024;

/** The fields of a resource that are of use: of the right type, not too deep, and together not too large. */
export function resourceFields(resource: JsonObject): JsonObject {
  const fields: JsonObject = {};
  let left = maxChars;
  for (const [name, value] of Object.entries(resource)) {
    const usable = own.has(name) || name === '__proto__' ? undefined : usableValue(name, value);
    if (usable === undefined || isDeeperThan(usable, maxDepth)) continue;
    const size = JSON.stringify(usable).length;
    if (size > left) continue;
    left -= size;
    fields[name] = usable;
  }
  return fields;
}

/** What each resource takes from its package when it says nothing itself: licenses, sources, contributors, `package`. */
export function inheritedFields(parent: JsonObject): JsonObject {
  const lists = objectLists.map((name) => [name, parent[name]] as const);
  return resourceFields(Object.fromEntries([...lists, ['package', packageField(parent)]]));
}

/** What a person wants to know of the package that a file belongs to; when it was made says nothing by itself. */
function packageField(parent: JsonObject): JsonObject | undefined {
  const texts = packageTexts.flatMap((name) => {
    const value = parent[name];
    return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
  });
  const keywords = usableValue('keywords', parent['keywords']);
  const fields = { ...Object.fromEntries(texts), ...(keywords === undefined ? {} : { keywords }) };
  return Object.keys(fields).some((name) => name !== 'created') ? fields : undefined;
}

function usableValue(name: string, value: unknown): unknown {
  if (value === null || value === undefined || value === '') return undefined;
  if (objectLists.includes(name)) return usableList(value, isJsonObject);
  if (textLists.includes(name)) return usableList(value, isText);
  if (tables.includes(name)) return isText(value) || isJsonObject(value) ? value : undefined;
  if (!textFields.includes(name)) return value;
  return isText(value) && (forms[name]?.test(value) ?? true) ? value : undefined;
}

function usableList(value: unknown, isUsable: (entry: unknown) => boolean): readonly unknown[] | undefined {
  const entries = Array.isArray(value) ? value.filter(isUsable) : [];
  return entries.length === 0 ? undefined : entries;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
