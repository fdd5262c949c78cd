type JsonKind = 'object' | 'array' | 'text' | 'number' | 'flag' | 'nothing';

/** A JSON value and its position in the document. */
export interface JsonNode {
  /** Name of the property, or the index in the array. */
  readonly label: string;
  /** The tree's path followed by a JSON Pointer (RFC 6901). Identifies the value across snapshots. */
  readonly path: string;
  readonly kind: JsonKind;
  readonly value: unknown;
  /** Number of properties or elements; 0 for other values. */
  readonly childCount: number;
}

function describeJson(label: string, value: unknown, parentPath: string): JsonNode {
  const path = `${parentPath}/${label.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return { label, path, kind: getKind(value), value, childCount: countChildren(value) };
}

/** Describes the first `limit` children of a value. */
export function listChildren(node: Pick<JsonNode, 'path' | 'value'>, limit: number): readonly JsonNode[] {
  const { path, value } = node;
  if (Array.isArray(value))
    return value.slice(0, limit).map((child: unknown, index) => describeJson(String(index), child, path));
  if (typeof value !== 'object' || value === null) return [];
  const fields = Object.entries<unknown>(value as Record<string, unknown>);
  return fields.slice(0, limit).map(([label, child]) => describeJson(label, child, path));
}

/** Formats a value that has no children as JSON, except that strings are not quoted. */
export function formatLeaf(node: JsonNode): string {
  if (node.kind === 'text') return String(node.value);
  return JSON.stringify(node.value);
}

function getKind(value: unknown): JsonKind {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'flag';
  return value === null || value === undefined ? 'nothing' : 'object';
}

/** Returns the number of properties of an object or elements of an array; 0 for other values. */
export function countChildren(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}
