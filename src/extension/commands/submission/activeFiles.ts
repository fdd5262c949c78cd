import { l10n } from 'vscode';
import type { Connection } from '../../../core/model/connection.ts';
import { getConnectionName } from '../../editor/connectionFacts.ts';
import { formatFileCount, formatNumber, plural } from '../../words/localeFormats.ts';
import { toPlainText } from '../../words/plainText.ts';
import { switchConnection } from '../connections/manageConnections.ts';
import type { KnownFile } from '../files/files.ts';
import type { CommandServices } from '../services.ts';

const maxListed = 5;
const maxNameLength = 60;

/**
 * Returns the files if all belong to the active connection. Otherwise, names the other connections and asks whether to
 * transfer only the files of the active one, or to switch. Returns undefined if no transfer is to start.
 */
export async function chooseActiveFiles(
  services: CommandServices,
  active: Connection,
  files: readonly KnownFile[],
): Promise<readonly KnownFile[] | undefined> {
  const own = files.filter(({ ref }) => ref.connectionId === active.id);
  if (own.length === files.length) return files;
  const others = countByConnection(files.filter(({ ref }) => ref.connectionId !== active.id));
  const only = own.length > 0 ? plural(own.length, 'Only This File', 'Only These {0} Files') : undefined;
  const [id = '', ...more] = others.keys();
  const name = more.length > 0 ? '' : getName(services, id);
  const change = name === '' ? l10n.t('Switch Connection…') : l10n.t('Switch to {0}', name);
  const answer = await services.notifications.choose(
    'info',
    describeOthers(files.length - own.length, files.length, toPlainText(active.name, maxNameLength)),
    formatCounts(services, others),
    ...[only, change].filter((label) => label !== undefined),
  );
  if (answer === change) await switchConnection(services, name === '' ? undefined : { kind: 'connection', id });
  return answer !== undefined && answer === only ? own : undefined;
}

function countByConnection(files: readonly KnownFile[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { ref } of files) counts.set(ref.connectionId, (counts.get(ref.connectionId) ?? 0) + 1);
  return counts;
}

function describeOthers(count: number, total: number, name: string): string {
  if (total === 1) return l10n.t("This file doesn't belong to {0}, the active connection.", name);
  if (count === total) return l10n.t('None of these files belong to {0}, the active connection.', name);
  return plural(
    count,
    "{0} of these {1} files doesn't belong to {2}, the active connection.",
    "{0} of these {1} files don't belong to {2}, the active connection.",
    formatNumber(total),
    name,
  );
}

function formatCounts(services: CommandServices, counts: ReadonlyMap<string, number>): string {
  const lines = [...counts].slice(0, maxListed).map(([id, count]) => {
    const name = getName(services, id) || l10n.t('Removed connection');
    return l10n.t('{0}: {1}', name, formatFileCount(count));
  });
  const rest = counts.size - maxListed;
  return [...lines, ...(rest > 0 ? [plural(rest, '{0} other', '{0} others')] : [])].join('\n');
}

function getName(services: CommandServices, id: string): string {
  return toPlainText(getConnectionName(services, id), maxNameLength);
}
