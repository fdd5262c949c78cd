import type { JsonObject } from '../util/json.ts';
import type { TextOrigin } from './transferPlan.ts';

/** Shorter texts are equal by chance. */
const minLength = 20;

/** The texts that an agent supplies with a plan. */
interface SuppliedTexts {
  readonly description?: string | undefined;
  readonly instructions?: JsonObject | undefined;
}

/** Length of a part of a text that is not equal by chance. */
const partLength = 30;

/** Returns `server` if a description, or a text in the instructions, contains a text that a server sent, or a part of it. */
export function getTextOrigin(
  { description = '', instructions = {} }: SuppliedTexts,
  serverTexts: ReadonlySet<string>,
): TextOrigin {
  const given = [description, ...listStrings(instructions)].map(normalize).filter(isLong);
  const known = [...serverTexts].map(normalize).filter(isLong);
  const isCopied = given.some((text) => known.some((one) => text.includes(one) || one.includes(text)));
  return isCopied || haveCommonPart(given, known) ? 'server' : 'agent';
}

/** Returns true for any common part of twice the length, and for some shorter ones. Takes linear time. */
function haveCommonPart(given: readonly string[], known: readonly string[]): boolean {
  const parts = new Set(given.flatMap((text) => listParts(text, 1)));
  return parts.size > 0 && known.some((text) => listParts(text, partLength).some((part) => parts.has(part)));
}

/** Returns the parts of a text that begin every `step` characters. */
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

function listStrings(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listStrings) : [];
}
