const placeholder = '[redacted]';
const headerValue = /(\bauthorization["']?\s*[:=]\s*["']?)(?:(?:bearer|basic|token|digest) +)?[^\s"',;]+/gi;
/** Parts of a secret; in base64 a letter between them can belong to both. */
const adjoining = /\[redacted\](?:[\w+/-]{0,2}\[redacted\])+/g;
const bearerValue = /\b((?:bearer|basic) +)[\w+/=.~-]{16,}/gi;
const addressPassword = /([a-z][a-z\d+.-]{1,20}:\/\/)[^\s/@"']{1,500}@/gi;

/** Shorter secrets are not looked for: replacing every single letter would leave no readable text. */
const shortestSecret = 4;

/** Shorter pieces of base64 are looked for only where a secret begins: others stand in any text by chance. */
const shortestInside = 8;

/** Longer secrets are looked for in parts, since a pattern takes time that grows with its square. */
const longestPart = 96;

/**
 * Returns `text` without the given secrets, the values of `Authorization` headers, and user names and passwords in
 * addresses. A secret is found as it is, with any of its characters escaped as JSON, addresses, forms and pages have it,
 * and in base64, also in lines and inside of a longer text. Everything that is logged goes through this function.
 * Linear in the length of `text`.
 */
export function redact(text: string, secrets: Iterable<string> = []): string {
  const sought = [...secrets].filter((secret) => secret.length >= shortestSecret);
  let result = text;
  for (const secret of sought.sort((a, b) => b.length - a.length)) result = withoutSecret(result, secret);
  return result
    .replace(headerValue, `$1${placeholder}`)
    .replace(bearerValue, `$1${placeholder}`)
    .replace(addressPassword, `$1${placeholder}@`);
}

function withoutSecret(text: string, secret: string): string {
  const parts = partsOf(secret);
  let result = text;
  for (const [place, part] of parts.entries()) {
    const isLast = place === parts.length - 1;
    result = result.replace(escapedOrNot(part), placeholder).replace(inBase64(part, isLast), placeholder);
  }
  return parts.length === 1 ? result : result.replace(adjoining, placeholder);
}

function partsOf(secret: string): readonly string[] {
  const characters = Array.from(secret);
  const size = Math.ceil(characters.length / Math.ceil(characters.length / longestPart));
  const starts = Array.from({ length: Math.ceil(characters.length / size) }, (_, place) => place * size);
  return starts.map((start) => characters.slice(start, start + size).join(''));
}

function escapedOrNot(secret: string): RegExp {
  const pieces = secret.match(/\\+|[^\\]/gu) ?? [];
  const patterns = pieces.map((piece) => (piece.startsWith('\\') ? backslashes(piece.length) : character(piece)));
  return new RegExp(patterns.join(''), 'gi');
}

/** A run of backslashes is one piece, for the sake of speed; escaping makes it longer. */
function backslashes(count: number): string {
  return String.raw`(?:\\{${count},${count * 4}}|(?:%5C|\\{1,4}u005C|&#0*92;|&#x0*5C;){${count}})`;
}

const namedEscapes: Readonly<Record<string, string>> = {
  '"': String.raw`|\\{1,4}"|&quot;`,
  "'": String.raw`|\\{1,4}'|&apos;`,
  '/': String.raw`|\\{1,4}/`,
  '&': '|&amp;',
  '<': '|&lt;',
  '>': '|&gt;',
  ' ': String.raw`|\+`,
  '\b': String.raw`|\\{1,4}b`,
  '\f': String.raw`|\\{1,4}f`,
  '\n': String.raw`|\\{1,4}n`,
  '\r': String.raw`|\\{1,4}r`,
  '\t': String.raw`|\\{1,4}t`,
};

/** One character as it is, or escaped in any of the usual ways. */
function character(piece: string): string {
  const units = Array.from({ length: piece.length }, (_, place) => hex(piece.charCodeAt(place), 4));
  const bytes = [...Buffer.from(piece, 'utf8')].map((byte) => `%${hex(byte, 2)}`).join('');
  const point = piece.codePointAt(0) ?? 0;
  const escaped = String.raw`${units.map((unit) => String.raw`\\{1,4}u${unit}`).join('')}|${bytes}|&#0*${point};|&#x0*${hex(point, 1)};`;
  return `(?:${units.map((unit) => String.raw`\u${unit}`).join('')}|${escaped}${namedEscapes[piece] ?? ''})`;
}

function hex(value: number, length: number): string {
  return value.toString(16).padStart(length, '0');
}

const lineBreaks = String.raw`(?:[\r\n]|\\{1,4}[rn]|%0[AaDd])*`;
const endOfBase64 = String.raw`[\w+/-]{0,3}(?:=|%3[Dd]){0,2}`;
const escapesOfBase64: Readonly<Record<string, string>> = {
  '+': '(?:[-+]|%2[Bb])',
  '/': String.raw`(?:\\{0,4}/|_|%2[Ff])`,
};

/** What a secret is in base64 whatever stands before and after it: its bytes can begin at three places of a group. */
function inBase64(secret: string, isLast: boolean): RegExp {
  const bytes = Buffer.from(secret, 'utf8');
  const pieces = [0, 1, 2].map((place) => {
    const encoded = Buffer.concat([Buffer.alloc(place), bytes]).toString('base64');
    return encoded.slice(Math.ceil((place * 8) / 6), Math.floor(((place + bytes.length) * 8) / 6));
  });
  const sought = pieces.filter((piece, place) => place === 0 || piece.length >= shortestInside);
  const patterns = sought.map((piece) =>
    Array.from(piece, (letter) => escapesOfBase64[letter] ?? letter).join(lineBreaks),
  );
  return new RegExp(`(?:${patterns.join('|')})${isLast ? endOfBase64 : ''}`, 'g');
}
