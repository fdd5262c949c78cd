import { l10n } from 'vscode';
import type { ParameterListing } from '../../core/store/searchabilityStore.ts';
import { formatList } from '../words/localeFormats.ts';
import { describeParameterType, getParameterLabel } from '../words/parameterWords.ts';
import { toPlainLine } from '../words/plainText.ts';
import type { MessageNode } from './nodes.ts';

/** Maximum number of parameters in the tooltip. */
const maxParameters = 20;

/**
 * Creates the row that lists a database's search parameters. `isLocal` is true for the local service, whose parameters
 * have labels.
 */
export function createParametersRow(
  owner: string,
  parameters: ParameterListing['parameters'],
  isLocal: boolean,
): MessageNode {
  const names = Object.keys(parameters).map((name) => getParameterLabel(name, isLocal));
  const lines = Object.entries(parameters)
    .slice(0, maxParameters)
    .map(([name, one]) =>
      toPlainLine(l10n.t('{0}: {1}', getParameterLabel(name, isLocal), describeParameterType(one))),
    );
  if (names.length > lines.length) lines.push('…');
  const text =
    names.length === 0
      ? l10n.t('No database-specific search parameters')
      : l10n.t('Search parameters: {0}', toPlainLine(formatList(names)));
  return {
    kind: 'message',
    id: `${owner}/names`,
    icon: 'about',
    text,
    ...(lines.length > 0 && { tooltip: lines.join('\n') }),
  };
}
