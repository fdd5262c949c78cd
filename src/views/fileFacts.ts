import { isJsonObject, type JsonObject } from '../core/util/json.ts';

/** More than these are not named in a tooltip. */
const mostNamed = 3;

/** What the sources or licences of a data resource are called, as far as they say it; they may hold anything. */
export function namesOf(resource: JsonObject, list: 'sources' | 'licenses'): string {
  const elements = resource[list];
  if (!Array.isArray(elements)) return '';
  const names = elements.slice(0, mostNamed).map(nameOf).filter(Boolean);
  return [...names, elements.length > mostNamed ? '…' : ''].filter(Boolean).join('; ');
}

function nameOf(element: unknown): string {
  if (!isJsonObject(element)) return '';
  const { title, name, path } = element;
  return [title, name, path].find((text): text is string => typeof text === 'string' && text !== '') ?? '';
}
