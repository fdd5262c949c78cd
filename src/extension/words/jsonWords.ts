import { l10n } from 'vscode';
import { hasInfinity, type JsonObject } from '../../core/util/json.ts';
import { readJsonObject } from '../../core/util/jsonObject.ts';

/** Describes why text can't be used as a JSON object. Returns undefined if it can. */
export function describeJsonError(text: string): string | undefined {
  const read = readJsonObject(text);
  if (read.kind === 'object') return describeNumberOutOfRange(read.value);
  if (read.kind === 'other') return l10n.t('Enter a JSON object.');
  return l10n.t('Invalid JSON at character {0}.', read.column);
}

function describeNumberOutOfRange(object: JsonObject): string | undefined {
  return hasInfinity(object)
    ? l10n.t('The JSON object contains a number that is too large. Put it in quotation marks.')
    : undefined;
}
