import type { SearchParameterDocument } from '../../contract/database.ts';
import { orders, sortKeys, type SearchSpecific } from '../wire/requests.ts';

/** What results are ordered by. */
export type SortKey = (typeof sortKeys)[number];

/** The database-specific part of a search (§4.3 `specific`). */
export interface SpecificFilter {
  readonly format?: string;
  readonly path?: string;
  readonly minBytes?: number;
  readonly maxBytes?: number;
  /** Milliseconds since 1970. */
  readonly modifiedAfterMs?: number;
  readonly sort: SortKey;
  readonly isDescending: boolean;
}

/** What `search-parameters` answers (D26). `order` counts for every `sort` but relevance, which always has the best first. */
export const searchParameters: Readonly<Record<string, SearchParameterDocument>> = {
  format: { type: 'string', value: '' },
  path: { type: 'string', value: '' },
  minBytes: { type: 'number', value: null },
  maxBytes: { type: 'number', value: null },
  modifiedAfter: { type: 'string', value: '' },
  sort: { type: 'array(string)', value: [...sortKeys] },
  order: { type: 'array(string)', value: [...orders] },
};

/** Reads `specific`, which the schema has checked; null and empty text are not given. */
export function parseSpecific(specific: SearchSpecific): SpecificFilter {
  const { minBytes, maxBytes, sort, order } = specific;
  const format = specific.format || undefined;
  const modifiedAfter = specific.modifiedAfter || undefined;
  return {
    ...defined('format', format?.toLowerCase().replace(/^\./, '')),
    ...defined('path', specific.path || undefined),
    ...defined('minBytes', minBytes),
    ...defined('maxBytes', maxBytes),
    ...defined('modifiedAfterMs', modifiedAfter === undefined ? undefined : Date.parse(modifiedAfter)),
    sort: sort || 'relevance',
    isDescending: order === 'desc',
  };
}

function defined<K extends string, V>(key: K, value: V | null | undefined): { [P in K]?: V } {
  return value === undefined || value === null ? {} : ({ [key]: value } as { [P in K]: V });
}
