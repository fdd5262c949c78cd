import type { Reason } from '../model/reason.ts';
import type { RequestFailure } from './result.ts';

/** Statuses that indicate a refusal of the request's content, rather than of the caller or of all requests. */
const refusingStatuses: ReadonlySet<number> = new Set([400, 404, 410, 413, 414, 422, 500]);

/** A part of a batch to be requested separately. `wereNamed` is true if the server mentioned these IDs in a refusal. */
export interface BatchPart {
  readonly ids: readonly string[];
  readonly wereNamed: boolean;
}

/** Splits a batch into halves. */
export function halve(batch: readonly string[], wereNamed = false): readonly BatchPart[] {
  const middle = Math.ceil(batch.length / 2);
  return [batch.slice(0, middle), batch.slice(middle)].map((ids) => ({ ids, wereNamed }));
}

/**
 * Splits a refused batch into the IDs that the server mentioned and those that it didn't. If the server mentioned none
 * or all of the IDs, halves the batch.
 */
export function splitBatch(batch: readonly string[], named: readonly string[]): readonly BatchPart[] {
  if (named.length === 0 || named.length === batch.length) return halve(batch, named.length > 0);
  const isNamed = new Set(named);
  return [
    { ids: batch.filter((id) => !isNamed.has(id)), wereNamed: false },
    { ids: named, wereNamed: true },
  ];
}

/**
 * Returns the IDs that a message mentions in double quotation marks or, if there are none, as whole words. Ignores
 * matches inside longer words or IDs, such as `a-1` in `a-10`.
 */
export function findNamedIds(text: string, ids: readonly string[]): readonly string[] {
  const quoted = ids.filter((id) => text.includes(`"${id}"`));
  if (quoted.length > 0) return quoted;
  let rest = text;
  const named = new Set<string>();
  for (const id of [...ids].sort((a, b) => b.length - a.length)) {
    const without = id === '' ? rest : removeWord(rest, id);
    if (without !== rest) named.add(id);
    rest = without;
  }
  return ids.filter((id) => named.has(id));
}

const endsInsideWord = /[\p{L}\p{N}_-]$/u;
const startsInsideWord = /^[\p{L}\p{N}_-]/u;

/** Replaces `word` with a line feed wherever it is a whole word, which prevents later matches inside it. */
function removeWord(text: string, word: string): string {
  const [first = '', ...others] = text.split(word);
  return others.reduce((rest, next) => {
    const isPart = endsInsideWord.test(rest) || startsInsideWord.test(next);
    return rest + (isPart ? word : '\n') + next;
  }, first);
}

/** Returns true if the server refused the request's content. */
export function isRefusal({ reason, isProblem }: RequestFailure): boolean {
  if (reason.status === 404 && !isProblem) return false;
  return reason.status !== undefined && refusingStatuses.has(reason.status);
}

/**
 * Returns true if the connection was closed without a response, for example because a handler in the server crashed.
 */
export function isDrop({ reason }: RequestFailure): boolean {
  return reason.kind === 'dropped' && reason.status === undefined;
}

/**
 * Returns the reason for a single refused ID. Changes the kind to `notFound` for a 410, or if the message says that the
 * ID was not found. The public server sends such messages with a 500. Any other 500 means that the ID could not be
 * looked up.
 */
export function toIdReason(reason: Reason, id: string): Reason {
  const saysNotFound = reason.status === 410 || (isAbout(reason, id) && /\bnot found\b/i.test(reason.detail ?? ''));
  return saysNotFound ? { ...reason, kind: 'notFound' } : reason;
}

/** Returns true for a server failure that is unrelated to the requested ID. */
export function isServerFailure(reason: Reason, id: string): boolean {
  return reason.kind === 'serverError' && !isAbout(reason, id);
}

function isAbout({ detail = '' }: Reason, id: string): boolean {
  return findNamedIds(detail, [id]).length > 0;
}
