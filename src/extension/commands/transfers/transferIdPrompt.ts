import { env, l10n } from 'vscode';
import type { LookupResult } from '../../../core/flows/trackFlow.ts';
import { parseUuid } from '../../../core/util/uuid.ts';
import { askText, type StepPosition } from '../../editor/quickInput.ts';
import { describeReason } from '../../words/reasonWords.ts';
import type { CommandServices } from '../services.ts';

/** A transfer found by its ID, either on the service or in the list. */
export type FoundById = Exclude<LookupResult, { kind: 'failed' }>;

/** Options for {@link askTransferId}. */
interface AskTransferIdOptions {
  readonly connectionId: string;
  readonly position: StepPosition;
  readonly prompt: string;
  /** Returns an error message if the transfer can't be accepted. */
  readonly validate?: (found: FoundById) => string | undefined;
}

/**
 * Asks for a transfer ID or a folder name (`dts-<id>`), and looks up the transfer before the input closes. Suggests an
 * ID from the clipboard. Returns undefined if the user cancels.
 */
export async function askTransferId(
  services: CommandServices,
  { connectionId, position, prompt, validate }: AskTransferIdOptions,
): Promise<FoundById | undefined> {
  let found: FoundById | undefined;
  const answer = await askText(position, {
    prompt,
    placeholder: '123e4567-e89b-42d3-a456-426614174000',
    value: findTransferId(await env.clipboard.readText()) ?? '',
    validate: (text) => (findTransferId(text) === undefined ? l10n.t('Enter a valid transfer ID.') : undefined),
    check: async (text, signal) => {
      const result = await lookUpTransfer(services, connectionId, findTransferId(text) ?? '', signal);
      if (result.kind === 'failed') return l10n.t('Could not check this ID: {0}', describeReason(result.reason));
      found = result;
      return validate?.(result);
    },
  });
  return typeof answer === 'string' ? undefined : found;
}

/**
 * Looks up a transfer in this window or, if it isn't known here, on the service. Notifies the user while the request
 * waits for its turn.
 */
export async function lookUpTransfer(
  services: CommandServices,
  connectionId: string,
  id: string,
  signal: AbortSignal,
): Promise<LookupResult> {
  return await services.waitingRequests.run(l10n.t('Look up transfer {0}', id), (turn) =>
    services.trackFlow.lookUp(connectionId, id, AbortSignal.any([signal, turn.signal]), turn.observer),
  );
}

const maxPathLength = 4096;

/** Extracts the transfer ID from user input: an ID, a folder name or a path. Returns undefined if there is none. */
function findTransferId(text: string): string | undefined {
  if (text.length > maxPathLength) return undefined;
  const path = text.trim().replace(/[/\\]+$/, '');
  const name = path.split(/[/\\]/).at(-1) ?? '';
  return parseUuid(name.replace(/^dts-/i, ''));
}
