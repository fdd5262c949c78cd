import { env, l10n } from 'vscode';
import type { TransferStore } from '../core/store/transferStore.ts';
import type { Connection } from '../core/model/connection.ts';
import type { RecentTroubles } from '../core/util/recentTroubles.ts';
import type { FoundKey } from '../host/apiKeys.ts';
import { diagnosticsText, type DiagnosedConnection } from '../host/diagnostics.ts';
import type { ExtensionFacts } from '../host/extensionFacts.ts';
import type { ConnectionParts } from './connections/connections.ts';

/** Dependencies of the command. */
export interface DiagnosticsParts extends ConnectionParts {
  readonly transferStore: TransferStore;
  readonly troubles: RecentTroubles;
  readonly extension: ExtensionFacts;
}

/** Puts what a bug report needs on the clipboard; nothing secret is in it. */
export async function copyDiagnostics(parts: DiagnosticsParts): Promise<void> {
  const { settings, apiKeys, localService, transferStore, memory, troubles, extension, notices } = parts;
  const saved = settings.connections;
  const keys = await Promise.all(saved.map((connection) => apiKeys.find(connection)));
  const text = diagnosticsText({
    extensionVersion: extension.version,
    settingIds: extension.settingIds,
    connections: saved.map((connection, index) => diagnosed(parts, connection, keys[index])),
    isLocalServiceRunning: localService.isRunning,
    transferCounts: {
      running: transferStore.running().length,
      'not confirmed': transferStore.notConfirmed().length,
      finished: transferStore.finished().length,
    },
    learned: await memory.serverDialects(),
    troubles: troubles.all,
    secrets: keys.flatMap(({ key }) => key ?? []),
  });
  await env.clipboard.writeText(text);
  void notices.info(l10n.t('The diagnostics are on the clipboard, without keys. Paste them into a report.'));
}

function diagnosed(
  { connectionStore, sessions, apiKeys }: DiagnosticsParts,
  connection: Connection,
  found: FoundKey | undefined,
): DiagnosedConnection {
  return {
    connection,
    isShown: connectionStore.shown?.id === connection.id,
    service: sessions.get(connection.id)?.service,
    key: found?.reason?.kind ?? (apiKeys.isFromEnvironment(connection) ? 'from the environment' : 'saved'),
  };
}
