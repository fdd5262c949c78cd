/** What a value of JSON looks like in the tree. */
type JsonKind = 'object' | 'array' | 'text' | 'number' | 'flag' | 'nothing';

/** A value of JSON with its place in the whole. */
export interface JsonNode {
  /** Name of the field, or the index in the array. */
  readonly label: string;
  /** JSON pointer (RFC 6901): unique, and the same in every snapshot. */
  readonly path: string;
  readonly kind: JsonKind;
  readonly value: unknown;
  /** How many fields or elements it has; 0 for what has none. */
  readonly childCount: number;
}

/** Describes one value. */
export function jsonNode(label: string, value: unknown, parentPath: string): JsonNode {
  const path = `${parentPath}/${label.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return { label, path, kind: kindOf(value), value, childCount: childCount(value) };
}

/** The first `limit` children of a value, described. */
export function childNodes(node: Pick<JsonNode, 'path' | 'value'>, limit: number): readonly JsonNode[] {
  const { path, value } = node;
  if (Array.isArray(value))
    return value.slice(0, limit).map((child: unknown, index) => jsonNode(String(index), child, path));
  if (typeof value !== 'object' || value === null) return [];
  const fields = Object.entries<unknown>(value as Record<string, unknown>);
  return fields.slice(0, limit).map(([label, child]) => jsonNode(label, child, path));
}

/** A value that has no children, as text in the way JSON writes it; texts stand without quotation marks. */
export function leafText(node: JsonNode): string {
  if (node.kind === 'text') return String(node.value);
  return JSON.stringify(node.value);
}

function kindOf(value: unknown): JsonKind {
  if (Array.isArray(value)) return 'array';
  switch (typeof value) {
    case 'string':
      return 'text';
    case 'number':
      return 'number';
    case 'boolean':
      return 'flag';
    default:
      return value === null || value === undefined ? 'nothing' : 'object';
  }
}

function childCount(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}
