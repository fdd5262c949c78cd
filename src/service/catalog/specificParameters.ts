import type { SearchParameterDocument } from '../../contract/database.ts';
import { normalizeFormat } from './searchLanguage.ts';
import { orders, sortKeys, type SearchSpecific } from '../wire/requestSchemas.ts';

/** A property by which search results can be sorted. */
export type SortKey = (typeof sortKeys)[number];

/** The database-specific part of a search (§4.3 `specific`). */
export interface SpecificFilter {
  readonly format?: string | undefined;
  readonly path?: string | undefined;
  readonly minBytes?: number | undefined;
  readonly maxBytes?: number | undefined;
  /** Milliseconds since 1970. */
  readonly modifiedAfterMs?: number | undefined;
  readonly sort: SortKey;
  readonly isDescending: boolean;
}

/** The response to a `search-parameters` request (D26: service HTTP behavior). */
export const searchParameters: Readonly<Record<string, SearchParameterDocument>> = {
  format: { type: 'string', value: '' },
  path: { type: 'string', value: '' },
  minBytes: { type: 'number', value: null },
  maxBytes: { type: 'number', value: null },
  modifiedAfter: { type: 'string', value: '' },
  sort: { type: 'array(string)', value: [...sortKeys] },
  order: { type: 'array(string)', value: [...orders] },
};

/** Parses a validated `specific` object; null and empty strings count as absent. */
export function parseSpecific(specific: SearchSpecific): SpecificFilter {
  const { format, path, minBytes, maxBytes, modifiedAfter, sort, order } = specific;
  return {
    format: format ? normalizeFormat(format) : undefined,
    path: path || undefined,
    minBytes: minBytes ?? undefined,
    maxBytes: maxBytes ?? undefined,
    modifiedAfterMs: modifiedAfter ? Date.parse(modifiedAfter) : undefined,
    sort: sort || 'relevance',
    isDescending: order === 'desc',
  };
}
