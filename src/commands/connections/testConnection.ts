import { commands, l10n } from 'vscode';
import { ConnectionTest, type ConnectionTestParts, type TestedConnection } from '../../core/flows/connectionTest.ts';
import type { Connection } from '../../core/model/connection.ts';
import type { TestStep } from '../../core/model/connectionTest.ts';
import { CommandFailure } from '../../host/commandBoundary.ts';
import type { CommandId, ConnectionNode } from '../../host/contributions.ts';
import { localConnectionId } from '../../host/machine.ts';
import type { NoticeAction } from '../../host/notices.ts';
import { withProgress } from '../../host/progress.ts';
import { adviceFor, stepLine, stepText, type Advice } from '../../host/testWords.ts';
import { plainLine } from '../../host/words.ts';
import { askConnection, localConnection, type ConnectionParts } from './connections.ts';

/** Dependencies of the command. */
export interface TestConnectionParts extends ConnectionParts {
  readonly testParts: ConnectionTestParts;
}

/** Goes the way to a service step by step, and says where it ends, why, and what helps. */
export async function testConnection(parts: TestConnectionParts, node: ConnectionNode | undefined): Promise<void> {
  const id =
    node?.id ??
    parts.connectionStore.shown?.id ??
    (await askConnection(parts, l10n.t('Select the connection to test')));
  const tested = id === undefined ? undefined : await testedConnection(parts, id);
  if (!tested) return;
  const name = plainLine(tested.connection.name);
  const test = new ConnectionTest(parts.testParts);
  const steps = await withProgress(l10n.t('Testing the connection to {0}', name), async (signal, report) => {
    const found = await test.run(tested, signal, (step) => report(stepText(step)));
    return signal.aborted ? undefined : found;
  });
  if (steps) tell(parts, tested.connection, steps);
}

async function testedConnection(parts: TestConnectionParts, id: string): Promise<TestedConnection> {
  if (id === localConnectionId) {
    const { address, token } = await parts.localService.start();
    return { connection: localConnection(address), apiKey: token };
  }
  const connection = parts.settings.connections.find((saved) => saved.id === id);
  if (!connection)
    throw new CommandFailure(l10n.t('This connection is no longer saved. Connect to the service again.'));
  return { connection, apiKey: await parts.apiKeys.get(connection) };
}

function tell({ notices }: TestConnectionParts, connection: Connection, steps: readonly TestStep[]): void {
  const name = plainLine(connection.name);
  const lines = steps.map(stepLine);
  const failed = steps.find(({ outcome }) => outcome === 'failed');
  if (!failed) {
    void notices.report('info', l10n.t('The connection to {0} works.', name), lines.join('\n'));
    return;
  }
  const advice = adviceFor(failed);
  const message = l10n.t('The connection to {0} fails at this step: {1}', name, stepText(failed.name));
  void notices.report('warning', message, [...lines, '', advice.text].join('\n'), ...actionsOf(advice, connection.id));
}

function actionsOf({ setting, needsKey }: Advice, connectionId: string): readonly NoticeAction[] {
  const again: CommandId = 'dataTransfer.testConnection';
  const key: CommandId = 'dataTransfer.setApiKey';
  const node: ConnectionNode = { kind: 'connection', id: connectionId };
  const run = (command: string, argument: unknown) => () => void commands.executeCommand(command, argument);
  return [
    { label: l10n.t('Test Again'), run: run(again, node) },
    ...(needsKey ? [{ label: l10n.t('Set API Key…'), run: run(key, node) }] : []),
    ...(setting === undefined
      ? []
      : [{ label: l10n.t('Open Settings'), run: run('workbench.action.openSettings', setting) }]),
  ];
}
