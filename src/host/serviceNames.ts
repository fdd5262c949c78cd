import { l10n } from 'vscode';
import { machineOf } from '../core/model/connection.ts';
import { localConnectionId } from './machine.ts';
import { plainLine } from './words.ts';

/** What the local service of this machine is called everywhere. */
export function localServiceName(): string {
  return l10n.t('Local Service');
}

/** What the local service of another machine is called; undefined for any other connection. Homes are shared (D30). */
export function foreignServiceName(connectionId: string): string | undefined {
  const machine = connectionId === localConnectionId ? undefined : machineOf(connectionId);
  return machine === undefined ? undefined : l10n.t('Local Service of {0}', plainLine(machine));
}
