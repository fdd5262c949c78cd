import type { SearchParameterDocument } from '../../contract/database.ts';
import { HttpProblem } from '../http/httpProblem.ts';

const sortKeys = ['relevance', 'path', 'name', 'bytes', 'modified'] as const;
const orders = ['asc', 'desc'] as const;

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

/** Reads `specific`. Throws {@link HttpProblem} 400 that names an unknown parameter or one of the wrong type. */
export function parseSpecific(specific: Readonly<Record<string, unknown>>): SpecificFilter {
  for (const name of Object.keys(specific)) {
    if (!Object.hasOwn(searchParameters, name)) throw wrong(name, 'is unknown');
  }
  const modifiedAfter = text(specific, 'modifiedAfter');
  return {
    ...defined('format', text(specific, 'format')?.toLowerCase().replace(/^\./, '')),
    ...defined('path', text(specific, 'path')),
    ...defined('minBytes', number(specific, 'minBytes')),
    ...defined('maxBytes', number(specific, 'maxBytes')),
    ...defined('modifiedAfterMs', modifiedAfter === undefined ? undefined : instant(modifiedAfter)),
    sort: choice(specific, 'sort', sortKeys) ?? 'relevance',
    isDescending: choice(specific, 'order', orders) === 'desc',
  };
}

function defined<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]: V });
}

function text(specific: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = specific[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw wrong(name, 'must be text');
  return value;
}

function number(specific: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = specific[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || value < 0) throw wrong(name, 'must be a number, 0 or more');
  return value;
}

function instant(value: string): number {
  const time = Date.parse(value);
  if (Number.isNaN(time)) throw wrong('modifiedAfter', 'must be a date such as 2026-11-20 or 2026-11-20T08:30:00Z');
  return time;
}

function choice<T extends string>(
  specific: Readonly<Record<string, unknown>>,
  name: string,
  choices: readonly T[],
): T | undefined {
  const value = text(specific, name);
  if (value === undefined) return undefined;
  const found = choices.find((one) => one === value);
  if (found === undefined) throw wrong(name, `must be one of ${choices.join(', ')}`);
  return found;
}

function wrong(name: string, reason: string): HttpProblem {
  const errors = [{ message: `${name} ${reason}`, location: `body.specific.${name}` }];
  return new HttpProblem(400, `The search parameter ${name} ${reason}.`, { errors });
}
