import { env, l10n } from 'vscode';
import type { Connection } from '../../../core/model/connection.ts';
import type { FoundKey } from '../../editor/apiKeys.ts';
import { formatDiagnostics, type DiagnosedConnection } from '../../editor/diagnostics.ts';
import type { CommandServices } from '../services.ts';

/** Copies diagnostic information for a bug report to the clipboard. The text contains no secrets. */
export async function copyDiagnostics(services: CommandServices): Promise<void> {
  const { settings, apiKeys, localService, transferStore, memory, recentProblems, facts, notifications } = services;
  const saved = settings.connections;
  const keys = await Promise.all(saved.map((connection) => apiKeys.find(connection)));
  const text = formatDiagnostics({
    extensionVersion: facts.version,
    settingIds: facts.settingIds,
    connections: saved.map((connection, index) => toDiagnosedConnection(services, connection, keys[index])),
    isLocalServiceRunning: localService.isRunning,
    transferCounts: {
      running: transferStore.getRunning().length,
      'not confirmed': transferStore.getNotConfirmed().length,
      finished: transferStore.getFinished().length,
    },
    learned: await memory.getServerDialects(),
    recentProblems: recentProblems.all,
    secrets: keys.flatMap(({ key }) => key ?? []),
  });
  await env.clipboard.writeText(text);
  void notifications.info(
    l10n.t('Copied the diagnostics to the clipboard. They contain no API keys and can be pasted into a report.'),
  );
}

function toDiagnosedConnection(
  { connectionStore, sessions, apiKeys }: CommandServices,
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
