import type { JsonObject } from '../util/json.ts';
import type { TextOrigin } from './transferPlan.ts';

/** Minimum length of strings to compare. Shorter ones often match by chance. */
const minLength = 20;

/** The text that an agent supplies with a plan. */
interface SuppliedTexts {
  readonly description?: string | undefined;
  readonly instructions?: JsonObject | undefined;
}

/** Length of a common substring that is unlikely to be a coincidence. */
const partLength = 30;

/**
 * Returns `server` if the description or any string in the instructions appears to be copied, even partly, from text
 * that a server sent. Otherwise, returns `agent`.
 */
export function getTextOrigin(
  { description = '', instructions = {} }: SuppliedTexts,
  serverTexts: ReadonlySet<string>,
): TextOrigin {
  const given = listLongTexts([description, ...listStrings(instructions)]);
  const known = listLongTexts([...serverTexts]);
  const isCopied = isAnyContained(given, known) || isAnyContained(known, given) || haveCommonPart(given, known);
  return isCopied ? 'server' : 'agent';
}

/** Length of the substrings by which {@link isAnyContained} finds pairs of texts to compare. */
const clueLength = minLength / 2;

/**
 * Returns true if any of the texts in `parts` is a substring of any in `texts`. Compares only texts with a common clue:
 * one of those in the first `minLength` characters of a part is also at a multiple of `clueLength + 1` in each text that
 * contains the part.
 */
function isAnyContained(parts: readonly string[], texts: readonly string[]): boolean {
  const partsByClue = new Map<string, string[]>();
  for (const part of parts) {
    for (const clue of listParts(part.slice(0, minLength), clueLength, 1)) {
      const others = partsByClue.get(clue);
      if (others) others.push(part);
      else partsByClue.set(clue, [part]);
    }
  }
  return texts.some((text) =>
    listParts(text, clueLength, clueLength + 1).some((clue) =>
      partsByClue.get(clue)?.some((part) => text.includes(part)),
    ),
  );
}

/**
 * Returns true if there is a common substring of at least twice `partLength` characters. Also detects some shorter
 * ones. Takes linear time.
 */
function haveCommonPart(given: readonly string[], known: readonly string[]): boolean {
  const parts = new Set(given.flatMap((text) => listParts(text, partLength, 1)));
  return (
    parts.size > 0 && known.some((text) => listParts(text, partLength, partLength).some((part) => parts.has(part)))
  );
}

/** Returns the substrings of `length` characters that start at every `step`th character. */
function listParts(text: string, length: number, step: number): readonly string[] {
  const count = Math.max(0, Math.floor((text.length - length) / step) + 1);
  return Array.from({ length: count }, (_, index) => text.slice(index * step, index * step + length));
}

/** Returns the different normalized texts that are long enough to compare. */
function listLongTexts(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.map(normalize))].filter(({ length }) => length >= minLength);
}

function normalize(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase();
}

function listStrings(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listStrings) : [];
}
