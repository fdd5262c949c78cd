import { isJsonObject } from './json.ts';

/** The names and indexes that lead to a value. */
type ValuePath = readonly (string | number)[];

const qualifiers =
  'api|app|application|developer|access|auth|authentication|authorization|bearer|secret|private|client|consumer|account|subscription|signing|encryption|ssh|master|hmac';
/** Matches the name of a secret, given as lowercase words. */
const secretName = new RegExp(
  `(?:secret|passw(?:or)?d|passphrase|passcode|pwd|credential)s?$|(?:${qualifiers}) ?(?:key|token)s?$|^(?:(?:proxy|http|x) )?authorization$|token$`,
);
/** Matches names of tokens that aren't secrets: page tokens, and special tokens of language models. */
const plainToken =
  /(?:^| )(?:(?:next ?)?page|next|previous|continuation|resumption|cursor|bos|cls|eos|mask|pad|sep|start|stop|unk|end) ?token$/;
/**
 * Matches the paths in a recipe where `key` and `token` aren't secrets: `from.table.key` describes a column's content,
 * and `from.search.specific` contains search parameters.
 */
const plainPlace = /^from\/(?:table|search\/specific)\//;
const idName = /(?:^| )(?:ids?|hash(?:es)?|digest|checksum|sha1)$/;

/** Matches KBase developer tokens, but no hexadecimal or Base32 hashes, DNA or protein sequences. */
const developerToken =
  /(?<![A-Za-z\d]|(?:[Ss][Hh][Aa]-?1|[Bb][Tt][Ii][Hh]|tiger)[:= ] ?)(?=[A-Z]{0,31}\d)(?=[A-F\d]{0,31}[G-Z])[A-Z\d]{32}(?![A-Za-z\d])/;
const bearerCredentials =
  /^bearer\s+\S+$|(?:(?:\bauthorization: *|["'])bearer +(?=[^\s\d]{0,4096}\d)(?=\S{0,4096}[a-z])[\w+/.~-]{10}|\bbearer +(?=[^\s\d]{0,4096}\d)(?=\S{0,4096}[a-z])[\w+/.~-]{20})/i;
const addressUser = /^[a-z][a-z\d+.-]{1,20}:\/\/[^\s/@]*@/i;
const addressPassword = /[a-z\d]:\/\/[^\s/?#@:<>"')]*:[^\s/?#@]+@/i;

/**
 * Returns the paths of all values that are a key, a password or a token by their name, or contain the API key of a
 * public service, an authorization header, or an address with a user name or password. Files that are shared with
 * others must not contain any. If a value's name is that of a secret, returns only the path of the value itself, even
 * for an object or a list.
 */
export function findSecrets(value: unknown, path: ValuePath = []): readonly ValuePath[] {
  if (isSecretByName(path, value)) return [path];
  if (typeof value === 'string') return isSecretText(toVisible(value), path) ? [path] : [];
  if (Array.isArray(value)) return value.flatMap((one: unknown, index) => findSecrets(one, [...path, index]));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => findSecrets(one, [...path, name]));
}

/**
 * Returns true if a word of a string, or the value in `name=value`, is a KBase developer token. A part of a word isn't,
 * because an ID can contain the same characters.
 */
export function isKeyText(text: string): boolean {
  return toVisible(text)
    .split(/[\s=]/)
    .some((part) => part.length === 32 && developerToken.test(part));
}

function isSecretText(text: string, path: ValuePath): boolean {
  if (addressUser.test(text) || addressPassword.test(text) || bearerCredentials.test(text)) return true;
  return developerToken.test(text) && !idName.test(toWords(path.findLast((one) => typeof one === 'string') ?? ''));
}

function isSecretByName(path: ValuePath, value: unknown): boolean {
  const name = path.at(-1);
  if (typeof name !== 'string' || isEmpty(value)) return false;
  const words = toWords(name);
  if ((words === 'key' || words === 'token') && plainPlace.test(path.join('/'))) return false;
  // In instructions, an object or a number named `key` describes a column.
  if (words === 'key') return typeof value === 'string';
  return isSecretWords(words);
}

/** Returns true if the words are the name of a secret, even with a number at the end: `password 2`. */
function isSecretWords(words: string): boolean {
  const name = words.replace(/ ?(?<!\d)\d+$/, '');
  return secretName.test(name) && !plainToken.test(name);
}

/** Returns the words of a name in lowercase: `api key` for `apiKey`, `API_KEY` and `api-key`. */
function toWords(name: string): string {
  const spaced = toVisible(name)
    .normalize('NFKC')
    .replace(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[\W_]+/g, ' ');
  return spaced.trim().toLowerCase();
}

/** Returns text without the characters that aren't shown, which could interrupt a name or a key. */
function toVisible(text: string): string {
  return text.replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '');
}

/** Returns true for a value without any text or number. */
function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isEmpty);
  return value === '' || value === null || value === undefined || typeof value === 'boolean';
}
