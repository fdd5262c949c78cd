import { isJsonObject } from './json.ts';

/** The names and indexes that lead to a value. */
export type ValuePath = readonly (string | number)[];

const qualifiers =
  'api|app|application|developer|access|auth|authentication|authorization|bearer|secret|private|client|consumer|account|subscription|signing|encryption|ssh';
/** Matches the name of a secret, given as lowercase words. */
const secretName = new RegExp(
  `(?:secret|passw(?:or)?d|passphrase|passcode|pwd|credential)s?$|(?:${qualifiers}) ?(?:key|token)s?$|^(?:(?:proxy|http|x) )?authorization$|token$`,
);
/** Matches names of tokens that aren't secrets: page tokens, and special tokens of language models. */
const plainToken =
  /(?:^| )(?:(?:next ?)?page|next|previous|continuation|cursor|bos|cls|eos|mask|pad|sep|start|stop|unk|end) ?token$/;
/** Matches the paths in a recipe where `key` and `token` name a column or a search parameter, not a secret. */
const plainPlace = /^from\/(?:table|search\/specific)\//;
const idName = /(?:^| )(?:ids?|hash(?:es)?|digest|checksum|sha1)$/;

/** Matches JSON Web Tokens, private keys, and tokens from GitHub, GitLab, Slack, AWS and Hugging Face. */
const keyText =
  /(?<![\w-])(?:eyJ[\w-]{8,}\.[\w-]{2,}\.[\w-]{2,}|gh[oprsu]_[A-Za-z\d]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{10,}|(?:AKIA|ASIA)(?=[A-Z]*\d)[A-Z\d]{16}(?![A-Z\d])|hf_[A-Za-z]{30,}(?!\w))|-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----/;
/** Matches KBase developer tokens. Matches neither hexadecimal hashes nor DNA or protein sequences. */
const developerToken = /^(?=.*\d)(?=.*[G-Z])[A-Z\d]{32}$/;
const bearerCredentials =
  /^bearer\s+\S+$|(?:(?:\bauthorization: *|["'])bearer +(?=[^\s\d]*\d)(?=\S*[a-z])[\w+/.~-]{10,}|\bbearer +(?=[^\s\d]*\d)(?=\S*[a-z])[\w+/.~-]{20,})/i;
const basicCredentials = /\bbasic +([\w+/]{8,}={0,2})/gi;
const unreadable = /[\p{C}\uFFFD]/u;
const addressUser = /^[a-z][a-z\d+.-]{1,20}:\/\/[^\s/@]*@/i;
const addressPassword = /[a-z\d]:\/\/[^\s/?#@:<>"')]*:[^\s/?#@]+@/i;

/**
 * Returns the paths of all values that look like a key, a password or a token. Files that are shared with others must
 * not contain any. If a value's name is that of a secret, the whole value is reported.
 */
export function findSecrets(value: unknown, path: ValuePath = []): readonly ValuePath[] {
  if (hasSecretName(path, value)) return [path];
  if (typeof value === 'string') return isSecretText(value, path) ? [path] : [];
  if (Array.isArray(value)) return value.flatMap((one: unknown, index) => findSecrets(one, [...path, index]));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => findSecrets(one, [...path, name]));
}

/** Returns true if a string contains a token in a known format, or if the whole string is a developer token. */
export function isKeyText(text: string): boolean {
  return keyText.test(text) || developerToken.test(text);
}

function isSecretText(text: string, path: ValuePath): boolean {
  const isAddress = addressUser.test(text) || addressPassword.test(text);
  if (isAddress || bearerCredentials.test(text) || hasBasicCredentials(text) || keyText.test(text)) return true;
  return developerToken.test(text) && !idName.test(toWords(path.findLast((one) => typeof one === 'string') ?? ''));
}

/**
 * Returns true if a string contains `Basic`, followed by a user name and password in base64. Ordinary words after `Basic`
 * don't decode to such a pair.
 */
function hasBasicCredentials(text: string): boolean {
  const decoded = Array.from(text.matchAll(basicCredentials), ([, encoded = '']) => Buffer.from(encoded, 'base64'));
  return decoded.map(String).some((pair) => /^[^:]+:./.test(pair) && !unreadable.test(pair));
}

function hasSecretName(path: ValuePath, value: unknown): boolean {
  const name = path.at(-1);
  if (typeof name !== 'string' || isEmpty(value)) return false;
  const words = toWords(name);
  if ((words === 'key' || words === 'token') && plainPlace.test(path.join('/'))) return false;
  // In instructions, an object or a number named `key` describes a column.
  if (words === 'key') return typeof value === 'string';
  return secretName.test(words) && !plainToken.test(words);
}

/** Returns the words of a name, in lowercase and separated by spaces: `api key` for `apiKey`, `API_KEY` and `api-key`. */
function toWords(name: string): string {
  const spaced = name.replace(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[\W_]+/g, ' ');
  return spaced.trim().toLowerCase();
}

/** Returns true for a value without any text or number. */
function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isEmpty);
  return value === '' || value === null || value === undefined || typeof value === 'boolean';
}
