import { isJsonObject } from '../util/json.ts';
import type { RecipePath } from './recipeText.ts';

const secretName =
  /^(?:api|developer|access|auth|authentication|bearer|secret)?[-_ ]?(?:key|token|password|passwd|secret|authorization|credentials?)$/i;
const secretText = /^(?:bearer|basic)\s+\S|^[a-z][a-z\d+.-]{1,20}:\/\/[^\s/@]*@/i;

/**
 * Finds what looks like a key, a password or a token. A recipe is committed and sent to others, so it may never contain
 * one. `key` is also a field of a table.
 */
export function findSecrets(value: unknown, path: RecipePath = []): readonly RecipePath[] {
  if (typeof value === 'string') return secretText.test(value) || isSecretName(path) ? [path] : [];
  if (Array.isArray(value)) return value.flatMap((one: unknown, index) => findSecrets(one, [...path, index]));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => findSecrets(one, [...path, name]));
}

function isSecretName(path: RecipePath): boolean {
  const name = path.findLast((one) => typeof one === 'string') ?? '';
  return path.join('/') !== 'from/table/key' && secretName.test(name);
}
