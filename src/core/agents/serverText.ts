import { limitMarks, shortenText } from '../util/displayLimits.ts';

/** Default maximum length of a line of server text in an answer. */
const maxLineLength = 200;

/**
 * Returns text from a server, a file or an agent as one short line without control or format characters. Answers
 * contain text from servers only under `data`, because agents must not treat such text as instructions (D64: a person
 * decides).
 */
export function toDataLine(text: string, maxLength = maxLineLength): string {
  const line = text
    .slice(0, 4 * maxLength)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\p{Cf}/gu, '')
    .trim();
  return shortenText(limitMarks(line), maxLength);
}
