import type { JsonObject } from './json.ts';

const placeholder = '[redacted]';
const headerValue = /(\bauthorization["']?\s*[:=]\s*["']?)(?:(?:bearer|basic|token|digest) +)?[^\s"',;]+/gi;
/** Matches adjacent redacted parts; in base64, the characters between them can encode bytes of both. */
const adjoining = /\[redacted\](?:[\w+/-]{0,2}\[redacted\])+/g;
const bearerValue = /\b((?:bearer|basic) +)(?=[\w+/=.~-]{16})[\w+/=.~-]+/gi;
const addressPassword = /([a-z][a-z\d+.-]{1,20}:\/\/)[^\s/@"']{1,500}@/gi;

/**
 * Matches a format character. Such characters are removed when text is shown, which would join the parts of a secret
 * around them. Matches only one at a time, because a long run would overflow the regex stack.
 */
const formatCharacter = /\p{Cf}/gu;

/** The minimum length of secrets to redact. Replacing very short strings would make all text unreadable. */
const minSecretLength = 4;

/**
 * The minimum length of a base64 form to search for if the secret starts inside a base64 group. Shorter forms could
 * match other text. The form that starts at a group boundary is always searched for.
 */
const minInsideLength = 8;

/**
 * The maximum length of a secret that is matched as a whole. Longer secrets are split, because matching time grows with
 * the square of a pattern's length.
 */
const maxPartLength = 96;

/**
 * Returns `text` without the given secrets, the values of `Authorization` headers, bearer and basic credentials of at
 * least 16 characters, and user names and passwords in URLs. Finds secrets verbatim, escaped for JSON, URLs, forms and
 * HTML, and encoded in base64, even if split into lines or groups or inside longer text. Also finds secrets that
 * contain format characters (Unicode category Cf), and then removes all format characters from the text. Ignores
 * secrets of fewer than four characters. Takes time linear in the length of `text`.
 */
export function redact(text: string, secrets: Iterable<string> = []): string {
  const candidates = [...secrets].filter((secret) => secret.length >= minSecretLength);
  let result = text;
  for (const secret of candidates.sort((a, b) => b.length - a.length)) {
    result = new SecretRedactor(secret).redact(result);
  }
  return result
    .replace(headerValue, `$1${placeholder}`)
    .replace(bearerValue, `$1${placeholder}`)
    .replace(addressPassword, `$1${placeholder}@`);
}

/** Finds and removes one secret in the forms of {@link redact}, in time linear in the text's length. */
class SecretRedactor {
  private readonly patterns: readonly RegExp[];
  private readonly isSplit: boolean;

  constructor(secret: string) {
    const parts = splitSecret(secret);
    this.isSplit = parts.length > 1;
    this.patterns = parts.flatMap((part, place) => [
      toEscapedPattern(part),
      toBase64Pattern(part, place === parts.length - 1),
    ]);
  }

  /** Returns true if `text` contains the secret or, if the secret is long, a part of it. */
  isIn(text: string): boolean {
    if (this.isInVisible(text)) return true;
    const visible = text.replace(formatCharacter, '');
    return visible.length < text.length && this.isInVisible(visible);
  }

  /** Returns `text` without the secret. If format characters interrupt the secret, removes all format characters. */
  redact(text: string): string {
    const result = this.redactVisible(text);
    const visible = result.replace(formatCharacter, '');
    return visible.length < result.length && this.isInVisible(visible) ? this.redactVisible(visible) : result;
  }

  private isInVisible(text: string): boolean {
    return this.patterns.some((pattern) => text.search(pattern) >= 0);
  }

  private redactVisible(text: string): string {
    const result = this.patterns.reduce((rest, pattern) => rest.replace(pattern, placeholder), text);
    return this.isSplit ? result.replace(adjoining, placeholder) : result;
  }
}

function splitSecret(secret: string): readonly string[] {
  const characters = Array.from(secret);
  const size = Math.ceil(characters.length / Math.ceil(characters.length / maxPartLength));
  const starts = Array.from({ length: Math.ceil(characters.length / size) }, (_, place) => place * size);
  return starts.map((start) => characters.slice(start, start + size).join(''));
}

/**
 * Matches the end of an HTML entity. Some services omit the semicolon. Must not match in two ways, because a secret
 * with many semicolons would take exponential time.
 */
const endOfEntity = '(?:;|(?!;))';

function toEscapedPattern(secret: string): RegExp {
  const pieces = secret.match(/\\+|[^\\]/gu) ?? [];
  const patterns = pieces.map((piece, index) =>
    piece.startsWith('\\')
      ? toBackslashPattern(piece.length, index < pieces.length - 1)
      : toCharacterPattern(piece, pieces[index - 1]?.startsWith('\\') === true),
  );
  return new RegExp(patterns.join(''), 'gi');
}

/** The maximum number of backslashes in an escape sequence that is itself escaped. */
const maxBackslashes = 4;
const someBackslashes = String.raw`\\{1,${maxBackslashes}}`;

/**
 * Returns one pattern for a run of backslashes, which is faster than a pattern for each. The run in the text may be
 * longer because of escaping. Also matches the backslashes of an escape sequence that follows: if the pattern of the
 * next character matched them, there would be many ways to match, and the time would be exponential.
 */
function toBackslashPattern(count: number, isFollowed: boolean): string {
  const more = isFollowed ? maxBackslashes : 0;
  const entity = String.raw`(?:&#0*92|&#x0*5C|&bsol)${endOfEntity}`;
  const escaped = String.raw`(?:%5C|${someBackslashes}u005C|${entity}){${count}}\\{0,${more}}`;
  return String.raw`(?:\\{${count},${count * maxBackslashes + more}}|${escaped})`;
}

/** The characters that follow the backslash of a short escape sequence. */
const shortEscapes: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '/': '/',
  '\b': 'b',
  '\f': 'f',
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
};

/** The names of HTML entities for characters of ASCII. */
const htmlNames: Readonly<Record<string, string>> = {
  '\t': 'Tab',
  '\n': 'NewLine',
  '!': 'excl',
  '"': 'quot',
  '#': 'num',
  $: 'dollar',
  '%': 'percnt',
  '&': 'amp',
  "'": 'apos',
  '(': 'lpar',
  ')': 'rpar',
  '*': '(?:ast|midast)',
  '+': 'plus',
  ',': 'comma',
  '.': 'period',
  '/': 'sol',
  ':': 'colon',
  ';': 'semi',
  '<': 'lt',
  '=': 'equals',
  '>': 'gt',
  '?': 'quest',
  '@': 'commat',
  '[': '(?:lsqb|lbrack)',
  ']': '(?:rsqb|rbrack)',
  '^': 'Hat',
  _: '(?:lowbar|UnderBar)',
  '`': '(?:grave|DiacriticalGrave)',
  '{': '(?:lcub|lbrace)',
  '|': '(?:vert|verbar|VerticalLine)',
  '}': '(?:rcub|rbrace)',
};

function toCharacterPattern(piece: string, isAfterBackslashes: boolean): string {
  const backslashes = isAfterBackslashes ? '' : someBackslashes;
  const units = Array.from({ length: piece.length }, (_, place) => formatHex(piece.charCodeAt(place), 4));
  const bytes = [...Buffer.from(piece, 'utf8')].map((byte) => `%${formatHex(byte, 2)}`).join('');
  const point = piece.codePointAt(0) ?? 0;
  const entities = [`0*${point}`, `x0*${formatHex(point, 1)}`].map((number) => `&#${number}${endOfEntity}`);
  const names = Object.hasOwn(htmlNames, piece) ? [`&${htmlNames[piece] ?? ''}${endOfEntity}`] : [];
  const escaped = units.map((unit, place) => `${place > 0 ? someBackslashes : backslashes}u${unit}`).join('');
  const letter = shortEscapes[piece];
  // Without backslashes, the short form of a quote is the quote itself, which must not match in two ways.
  const short = letter === undefined || (isAfterBackslashes && letter === piece) ? [] : [backslashes + letter];
  const plain = units.map((unit) => String.raw`\u${unit}`).join('');
  const plus = piece === ' ' ? [String.raw`\+`] : [];
  return `(?:${[plain, escaped, bytes, ...entities, ...names, ...short, ...plus].join('|')})`;
}

function formatHex(value: number, length: number): string {
  return value.toString(16).padStart(length, '0');
}

/** Matches up to four blanks or line breaks, plain or escaped; a long run would overflow the regex stack. */
const blanks = String.raw`(?:[\r\n\t ]|\\{1,4}[rnt]|%0[AaDd9]|%20){0,4}`;
const endOfBase64 = String.raw`[\w+/-]{0,3}(?:=|%3[Dd]){0,2}`;
const escapesOfBase64: Readonly<Record<string, string>> = {
  '+': '(?:[-+]|%2[Bb])',
  '/': String.raw`(?:\\{0,4}/|_|%2[Ff])`,
};

/** Returns a pattern for a secret in base64, at any of the three offsets in a group of longer text. */
function toBase64Pattern(secret: string, isLast: boolean): RegExp {
  const bytes = Buffer.from(secret, 'utf8');
  const pieces = [0, 1, 2].map((place) => {
    const encoded = Buffer.concat([Buffer.alloc(place), bytes]).toString('base64');
    return encoded.slice(Math.ceil((place * 8) / 6), Math.floor(((place + bytes.length) * 8) / 6));
  });
  const usable = pieces.filter((piece, place) => place === 0 || piece.length >= minInsideLength);
  const patterns = usable.map((piece) => Array.from(piece, (letter) => escapesOfBase64[letter] ?? letter).join(blanks));
  return new RegExp(`(?:${patterns.join('|')})${isLast ? endOfBase64 : ''}`, 'g');
}

/**
 * The minimum length of a key to remove, in characters. Shorter keys, such as `test`, occur by chance in a service's
 * names and IDs, which must stay unchanged to be usable.
 */
const minKeyLength = 8;

/**
 * Matches JSON escapes of ASCII characters, format characters and a few others. Such escapes can hide the key, in any
 * of its forms, from a search of the unparsed text.
 */
const hidingEscape =
  /\\u(?:00(?:[0-7]|AD)|060[0-5]|061C|06DD|070F|089[01]|08E2|180E|20(?:0[B-F]|2[A-E]|6)|FEFF|FFF[9-B]|D8(?:04|0D|2F|34)|DB40)/i;

/** Removes the API key that a server may echo from responses, which are shown, recorded and exported. */
export class KeyRemover {
  private readonly redactor: SecretRedactor | undefined;

  constructor(key: string) {
    if (key.length >= minKeyLength) this.redactor = new SecretRedactor(key);
  }

  /**
   * Removes the key from all strings and property names in a parsed response, at any depth, and returns the response.
   * First searches `text`, the unparsed response, because one search is much faster than inspecting each value. Changes
   * only parsed strings, because a replacement in JSON could break an escape sequence.
   */
  removeFrom(json: unknown, text: string): unknown {
    if (!this.redactor) return json;
    return hidingEscape.test(text) || this.redactor.isIn(text) ? redactTexts(json, this.redactor) : json;
  }
}

/** Redacts the strings of a parsed response in place; not recursively, because nesting can be deep. */
function redactTexts(json: unknown, redactor: SecretRedactor): unknown {
  const root = [json];
  const pending: (unknown[] | JsonObject)[] = [root];
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return redactor.redact(value);
    if (typeof value === 'object' && value !== null) pending.push(value as JsonObject);
    return value;
  };
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (Array.isArray(next)) cleanElements(next, clean);
    else cleanMembers(next, redactor, clean);
  }
  return root[0];
}

function cleanElements(list: unknown[], clean: (value: unknown) => unknown): void {
  for (const [index, value] of list.entries()) list[index] = clean(value);
}

function cleanMembers(object: JsonObject, redactor: SecretRedactor, clean: (value: unknown) => unknown): void {
  for (const [name, value] of Object.entries(object)) {
    const cleanName = redactor.redact(name);
    if (cleanName !== name) Reflect.deleteProperty(object, name);
    object[cleanName] = clean(value);
  }
}

const separator = String.raw`[\\/]{1,4}`;

/** Matches the end of a name, even before a period that ends a sentence. */
const nameEnd = String.raw`(?![\p{L}\p{N}_-]|\.[\p{L}\p{N}_-])`;

/**
 * Replaces the path to the home folder with `~`. Finds the path with either separator, and escaped for JSON or URIs.
 * Ignores case, because the case of drive letters varies on Windows. Does nothing if the home folder is a root folder.
 */
export function redactHome(text: string, home: string): string {
  const [root = '', ...names] = home.replace(/[\\/]+$/, '').split(/[\\/]+/);
  if (names.length === 0) return text;
  return text.replaceAll(new RegExp([root, ...names].map(toPattern).join(separator) + nameEnd, 'giu'), '~');
}

function toPattern(name: string): string {
  return `(?:${escapePattern(name)}|${escapePattern(encodeURIComponent(name))})`;
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
