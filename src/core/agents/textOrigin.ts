import type { JsonObject } from '../util/json.ts';
import type { TextOrigin } from './transferPlan.ts';

/** Minimum length of strings to compare. Shorter strings often match by chance. */
const minLength = 20;

/** The text that an agent supplies with a plan. */
interface SuppliedTexts {
  readonly description?: string | undefined;
  readonly instructions?: JsonObject | undefined;
}

/** Length of a common substring that is unlikely to be a coincidence. */
const partLength = 30;

/**
 * Returns `server` if the description or the instructions appear to be copied from text that a server sent; otherwise,
 * `agent`. Also detects text that was copied only in part.
 */
export function getTextOrigin(
  { description = '', instructions = {} }: SuppliedTexts,
  serverTexts: ReadonlySet<string>,
): TextOrigin {
  const given = [description, ...listStrings(instructions)].map(normalize).filter(isLong);
  const known = [...serverTexts].map(normalize).filter(isLong);
  const isCopied = given.some((text) => known.some((one) => text.includes(one) || one.includes(text)));
  return isCopied || haveCommonPart(given, known) ? 'server' : 'agent';
}

/**
 * Returns true if a given and a known string share a substring of at least twice `partLength` characters. Also detects
 * some shorter shared substrings. Takes linear time.
 */
function haveCommonPart(given: readonly string[], known: readonly string[]): boolean {
  const parts = new Set(given.flatMap((text) => listParts(text, 1)));
  return parts.size > 0 && known.some((text) => listParts(text, partLength).some((part) => parts.has(part)));
}

/** Returns the substrings of `partLength` characters that start at every `step`th character. */
function listParts(text: string, step: number): readonly string[] {
  const count = Math.max(0, Math.floor((text.length - partLength) / step) + 1);
  return Array.from({ length: count }, (_, index) => text.slice(index * step, index * step + partLength));
}

function normalize(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase();
}

function isLong(text: string): boolean {
  return text.length >= minLength;
}

/** Returns all strings in a JSON value, including the names in objects. */
function listStrings(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(listStrings);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => [name, ...listStrings(one)]);
}
