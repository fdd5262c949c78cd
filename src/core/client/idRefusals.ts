import type { Reason } from '../model/reason.ts';
import type { Failed } from './http.ts';

/** Statuses by which a server refuses what is in a request, rather than whoever asks, or everything. */
const refusingStatuses: ReadonlySet<number> = new Set([400, 404, 410, 413, 414, 422, 500]);

/** A part of a batch that is requested by itself. */
export interface Part {
  readonly ids: readonly string[];
  readonly wereNamed: boolean;
}

/** Returns the two halves of a batch. */
export function halve(batch: readonly string[], wereNamed = false): readonly Part[] {
  const middle = Math.ceil(batch.length / 2);
  return [batch.slice(0, middle), batch.slice(middle)].map((ids) => ({ ids, wereNamed }));
}

/** The ids that the server named in its refusal stand apart at once; where it names none, or all, the batch is halved. */
export function partsOf(batch: readonly string[], named: readonly string[]): readonly Part[] {
  if (named.length === 0 || named.length === batch.length) return halve(batch, named.length > 0);
  const isNamed = new Set(named);
  return [
    { ids: batch.filter((id) => !isNamed.has(id)), wereNamed: false },
    { ids: named, wereNamed: true },
  ];
}

/**
 * The ids that a text names: in quotes, or, where none stands in quotes, as words of their own: `a-1` is not named by
 * `a-10`, which the list may hold too.
 */
export function namedIn(text: string, ids: readonly string[]): readonly string[] {
  const quoted = ids.filter((id) => text.includes(`"${id}"`));
  if (quoted.length > 0) return quoted;
  let rest = text;
  const named = new Set<string>();
  for (const id of [...ids].sort((a, b) => b.length - a.length)) {
    const without = id === '' ? rest : withoutWord(rest, id);
    if (without !== rest) named.add(id);
    rest = without;
  }
  return ids.filter((id) => named.has(id));
}

const endsInside = /[\p{L}\p{N}_-]$/u;
const beginsInside = /^[\p{L}\p{N}_-]/u;

/** A line end in the place of each `word`, so that nothing inside of it is found any more. */
function withoutWord(text: string, word: string): string {
  const [first = '', ...others] = text.split(word);
  return others.reduce((rest, next) => {
    const isPart = endsInside.test(rest) || beginsInside.test(next);
    return rest + (isPart ? word : '\n') + next;
  }, first);
}

/** Returns true when a server refused what is in a request. */
export function isRefusal({ reason, isProblem }: Failed): boolean {
  if (reason.status === 404 && !isProblem) return false;
  return reason.status !== undefined && refusingStatuses.has(reason.status);
}

/** Returns true when the connection ended without an answer, as it does when a handler of the server crashes. */
export function isDrop({ reason }: Failed): boolean {
  return reason.kind === 'dropped' && reason.status === undefined;
}

/**
 * Returns the reason for a single refused id. An id counts as not found when the status says so, or when a text that
 * names it does: the public server answers 500 for unknown ids. Any other 500 means that it could not be looked up.
 */
export function toIdReason(reason: Reason, id: string): Reason {
  const saysNotFound = reason.status === 410 || (isAbout(reason, id) && /\bnot found\b/i.test(reason.detail ?? ''));
  return saysNotFound ? { ...reason, kind: 'notFound' } : reason;
}

/** Returns true for a failure of the server that has nothing to do with the id that it was asked for. */
export function isServerFailure(reason: Reason, id: string): boolean {
  return reason.kind === 'serverError' && !isAbout(reason, id);
}

function isAbout({ detail = '' }: Reason, id: string): boolean {
  return namedIn(detail, [id]).length > 0;
}
