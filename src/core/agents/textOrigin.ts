import type { JsonObject } from '../util/json.ts';
import type { TextOrigin } from './transferPlan.ts';

/** Shorter texts are equal by chance. */
const minLength = 20;

/** The texts that an agent supplies with a plan. */
interface SuppliedTexts {
  readonly description?: string | undefined;
  readonly instructions?: JsonObject | undefined;
}

/** Returns `server` if a description, or a text in the instructions, contains a text that a server sent. */
export function getTextOrigin(
  { description = '', instructions = {} }: SuppliedTexts,
  serverTexts: ReadonlySet<string>,
): TextOrigin {
  const given = [description, ...listStrings(instructions)].map(normalize).filter(isLong);
  const known = [...serverTexts].map(normalize).filter(isLong);
  const isCopied = given.some((text) => known.some((one) => text.includes(one) || one.includes(text)));
  return isCopied ? 'server' : 'agent';
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
