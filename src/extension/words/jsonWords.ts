import { l10n } from 'vscode';
import { hasInfinity, type JsonObject } from '../../core/util/json.ts';

/** Describes the mistake in a JSON object with a number that is out of range. Returns undefined if there is none. */
export function describeNumberOutOfRange(object: JsonObject): string | undefined {
  return hasInfinity(object)
    ? l10n.t('The JSON object contains a number that is too large. Put it in quotation marks.')
    : undefined;
}
