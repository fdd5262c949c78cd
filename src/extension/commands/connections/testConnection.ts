import { commands, l10n } from 'vscode';
import { ConnectionTest, type TestedConnection } from '../../../core/flows/connectionTest.ts';
import type { Connection } from '../../../core/model/connection.ts';
import type { TestStep } from '../../../core/model/testStep.ts';
import { runCommand } from '../../editor/commandBoundary.ts';
import type { ConnectionNode } from '../../editor/contributions.ts';
import { localConnectionId } from '../../editor/machine.ts';
import { withProgress, type NotificationAction, type Notifications } from '../../editor/notifications.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { getAdvice, formatStep, getStepTitle, type Advice } from '../../words/testWords.ts';
import type { CommandServices } from '../services.ts';
import { requireSavedConnection } from './connectionOpener.ts';
import { pickConnection } from './connectionPicker.ts';
import { startLocalService } from './localConnection.ts';

/** Tests a connection step by step, and reports the result. If a step fails, suggests a fix. */
export async function testConnection(services: CommandServices, node: ConnectionNode | undefined): Promise<void> {
  const { testDependencies, connectionStore, notifications } = services;
  const id =
    node?.id ?? connectionStore.shown?.id ?? (await pickConnection(services, l10n.t('Select the connection to test')));
  const tested = id === undefined ? undefined : await getTestedConnection(services, id);
  if (!tested) return;
  const name = toPlainLine(tested.connection.name);
  const test = new ConnectionTest(testDependencies);
  const steps = await withProgress(l10n.t('Testing the connection to {0}', name), async (signal, report) => {
    const results = await test.run(tested, signal, (step) => report(getStepTitle(step)));
    return signal.aborted ? undefined : results;
  });
  if (steps) reportTestResult(notifications, tested.connection, steps);
}

async function getTestedConnection(services: CommandServices, id: string): Promise<TestedConnection> {
  if (id === localConnectionId) return await startLocalService(services);
  const connection = requireSavedConnection(services, id);
  return { connection, apiKey: await services.apiKeys.get(connection) };
}

function reportTestResult(notifications: Notifications, connection: Connection, steps: readonly TestStep[]): void {
  const name = toPlainLine(connection.name);
  const lines = steps.map(formatStep);
  const failed = steps.find(({ outcome }) => outcome === 'failed');
  if (failed) reportFailedTest(notifications, connection, lines, failed);
  else void notifications.report('info', l10n.t('The connection to {0} works.', name), lines.join('\n'));
}

function reportFailedTest(
  notifications: Notifications,
  { id, name }: Connection,
  lines: readonly string[],
  failed: TestStep,
): void {
  const advice = getAdvice(failed);
  const message = l10n.t('Could not connect to {0}. Failed step: {1}', toPlainLine(name), getStepTitle(failed.name));
  const detail = [...lines, '', advice.text].join('\n');
  void notifications.report('warning', message, detail, ...getAdviceActions(advice, id));
}

function getAdviceActions({ setting, needsKey }: Advice, connectionId: string): readonly NotificationAction[] {
  const node: ConnectionNode = { kind: 'connection', id: connectionId };
  const openSettings = (): void => void commands.executeCommand('workbench.action.openSettings', setting);
  return [
    { label: l10n.t('Test Again'), run: () => runCommand('dataTransfer.testConnection', node) },
    ...(needsKey ? [{ label: l10n.t('Set API Key…'), run: () => runCommand('dataTransfer.setApiKey', node) }] : []),
    ...(setting === undefined ? [] : [{ label: l10n.t('Open Settings'), run: openSettings }]),
  ];
}
