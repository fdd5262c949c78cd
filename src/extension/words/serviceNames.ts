import { l10n } from 'vscode';
import { getMachine } from '../../core/model/connection.ts';
import { localConnectionId } from '../editor/machine.ts';
import { toPlainLine } from './plainText.ts';

/** Returns the name of this machine's local service. */
export function getLocalServiceName(): string {
  return l10n.t('Local Service');
}

/**
 * Returns the name of another machine's local service, which is known here through a shared home folder (D30: network
 * file systems) or copied transfer records. Returns undefined for any other connection.
 */
export function getForeignServiceName(connectionId: string): string | undefined {
  const machine = connectionId === localConnectionId ? undefined : getMachine(connectionId);
  return machine === undefined ? undefined : l10n.t('Local Service on {0}', toPlainLine(machine));
}
