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

/**
 * Requires a random token to follow. Such a token has twelve letters and digits in a row, with a capital letter and
 * with a digit next to a letter. Ordinary words don't match.
 */
const random = String.raw`(?=[\w-]{0,256}(?<![A-Za-z\d])(?=[A-Za-z\d]{0,256}[A-Z])(?=[A-Za-z\d]{0,256}(?:[A-Za-z]\d|\d[A-Za-z]))[A-Za-z\d]{12})`;
/**
 * The forms of JSON Web Tokens, and of tokens from GitHub, GitLab, Slack, AWS, Hugging Face, OpenAI, Stripe, Google and
 * npm.
 */
const tokenForms = [
  String.raw`eyJ[\w-]{8,8192}\.[\w-]{2,32768}\.[\w-]{2}`,
  String.raw`gh[oprsu]_[A-Za-z\d]{20}|github_pat_\w{20}`,
  String.raw`glpat-[\w-]{16}|glrt-${random}[\w-]{16}`,
  String.raw`xox[abeprs]-[\w-]{10}|xapp-\d-[A-Z][A-Z\d]{8,64}-[\w-]{10}`,
  String.raw`(?:AKIA|ASIA)(?=[A-Z]{0,15}\d)[A-Z\d]{16}(?![A-Z\d])`,
  String.raw`hf_[A-Za-z]{30,256}(?!\w)`,
  String.raw`sk-(?:${random}[\w-]{20}|(?:or-v1-)?[a-f\d]{32})`,
  String.raw`[rs]k_(?:live|test)_[A-Za-z\d]{16}`,
  String.raw`AIza[\w-]{35}(?![\w-])`,
  String.raw`npm_[A-Za-z\d]{36}(?!\w)`,
];
/** Matches tokens in known forms, and private keys. */
const keyText = new RegExp(`(?<![\\w-])(?:${tokenForms.join('|')})|-----BEGIN [A-Z ]{0,20}PRIVATE KEY(?: BLOCK)?-----`);
/**
 * Matches KBase developer tokens. Matches neither hexadecimal hashes, nor SHA-1 hashes in Base32, nor DNA or protein
 * sequences.
 */
const developerToken =
  /(?<![A-Za-z\d]|(?:[Ss][Hh][Aa]-?1|[Bb][Tt][Ii][Hh]|tiger)[:= ] ?)(?=[A-Z]{0,31}\d)(?=[A-F\d]{0,31}[G-Z])[A-Z\d]{32}(?![A-Za-z\d])/;
/** Matches a URL parameter whose value is long, and neither a placeholder nor a word in capital letters. */
const addressParameter = /[?&;#]([\w.%[\]-]{1,60})=(?![<{$[*]|%7[Bb]|[A-Z_]+(?![^\s&#;?]))([^\s&#;?]{8,4096})/g;
/**
 * Matches names whose last word is `sig` or `signature`. These words are common in genomics, so the value of such a
 * name is taken for a secret only if it is long.
 */
const signatureName = /(?:^| )sig(?:nature)?$/;
const minSignatureLength = 32;
const bearerCredentials =
  /^bearer\s+\S+$|(?:(?:\bauthorization: *|["'])bearer +(?=[^\s\d]{0,4096}\d)(?=\S{0,4096}[a-z])[\w+/.~-]{10}|\bbearer +(?=[^\s\d]{0,4096}\d)(?=\S{0,4096}[a-z])[\w+/.~-]{20})/i;
const basicCredentials = /\bbasic +([\w+/]{8,4096}={0,2})/gi;
const unreadable = /[\p{C}\uFFFD]/u;
const addressUser = /^[a-z][a-z\d+.-]{1,20}:\/\/[^\s/@]*@/i;
const addressPassword = /[a-z\d]:\/\/[^\s/?#@:<>"')]*:[^\s/?#@]+@/i;

/**
 * Returns the paths of all values that look like a key, a password or a token. Files that are shared with others must
 * not contain any. If a value's name is that of a secret, returns only the path of the value itself, even for an object
 * or a list.
 */
export function findSecrets(value: unknown, path: ValuePath = []): readonly ValuePath[] {
  if (hasSecretName(path, value)) return [path];
  if (typeof value === 'string') return isSecretText(toVisible(value), path) ? [path] : [];
  if (Array.isArray(value)) return value.flatMap((one: unknown, index) => findSecrets(one, [...path, index]));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => findSecrets(one, [...path, name]));
}

/**
 * Returns true if a string contains a token in a known form. A KBase developer token must be an entire word or the
 * value in `name=value`, because an ID can contain the same characters.
 */
export function isKeyText(text: string): boolean {
  const visible = toVisible(text);
  const isDeveloperToken = (part: string): boolean => part.length === 32 && developerToken.test(part);
  return keyText.test(visible) || visible.split(/[\s=]/).some(isDeveloperToken);
}

function isSecretText(text: string, path: ValuePath): boolean {
  const isAddress = addressUser.test(text) || addressPassword.test(text);
  if (isAddress || bearerCredentials.test(text) || keyText.test(text)) return true;
  if (hasBasicCredentials(text) || hasSecretParameter(text)) return true;
  return developerToken.test(text) && !idName.test(toWords(path.findLast((one) => typeof one === 'string') ?? ''));
}

/**
 * Returns true if a string contains `Basic`, followed by a user name and password in base64. Ordinary words after
 * `Basic` don't decode to such a pair.
 */
function hasBasicCredentials(text: string): boolean {
  const decoded = Array.from(text.matchAll(basicCredentials), ([, encoded = '']) => Buffer.from(encoded, 'base64'));
  return decoded.map(String).some((pair) => /^[^:]+:./.test(pair) && !unreadable.test(pair));
}

/** Returns true if a string contains a URL parameter with the name of a secret and a long value. */
function hasSecretParameter(text: string): boolean {
  return [...text.matchAll(addressParameter)].some(([, name = '', value = '']) => {
    const words = toWords(decodeEscapes(name));
    return isSecretWords(words) || (signatureName.test(words) && value.length >= minSignatureLength);
  });
}

/** Decodes the percent-encoded ASCII characters of a name. */
function decodeEscapes(name: string): string {
  return name.replace(/%([0-7][\dA-Fa-f])/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

function hasSecretName(path: ValuePath, value: unknown): boolean {
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

/**
 * Returns the words of a name, in lowercase and separated by spaces: `api key` for `apiKey`, `API_KEY` and `api-key`.
 */
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
