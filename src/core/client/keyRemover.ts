import type { JsonObject } from '../util/json.ts';
import { SecretRedactor } from '../util/redact.ts';

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

/**
 * Removes the API key from successful responses, in case a server echoes it. Text from responses is shown, recorded,
 * exported and given to agents.
 */
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

/**
 * Redacts the strings in a parsed response in place. Not recursive, because a server can nest values more deeply than
 * the stack allows.
 */
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
