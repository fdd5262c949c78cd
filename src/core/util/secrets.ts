import { isJsonObject } from './json.ts';

/** The names and indexes that lead to a value. */
type ValuePath = readonly (string | number)[];

const secretName =
  /^(?:api|developer|access|auth|authentication|bearer|secret)?[-_ ]?(?:key|token|password|passwd|secret|authorization|credentials?)$/i;
const secretText = /^bearer\s+\S+$|^[a-z][a-z\d+.-]{1,20}:\/\/[^\s/@]*@/i;
/** Matches `Basic` and a base64 value. Doesn't match ordinary words, in which no capital follows a lowercase letter. */
const basicCredentials = /^[Bb]asic\s+(?=\S*[a-z\d]\S*[A-Z\d])[\w+/]{8,}=*$/;

/**
 * Returns the paths of all values that look like a key, a password or a token. Files that are shared with others must
 * not contain any. Ignores `from/table/key`, which names a property of files in a recipe.
 */
export function findSecrets(value: unknown, path: ValuePath = []): readonly ValuePath[] {
  if (typeof value === 'string') return isSecretText(value) || isSecretName(path) ? [path] : [];
  if (Array.isArray(value)) return value.flatMap((one: unknown, index) => findSecrets(one, [...path, index]));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => findSecrets(one, [...path, name]));
}

function isSecretText(value: string): boolean {
  return secretText.test(value) || basicCredentials.test(value);
}

function isSecretName(path: ValuePath): boolean {
  const name = path.findLast((one) => typeof one === 'string') ?? '';
  return path.join('/') !== 'from/table/key' && secretName.test(name);
}
