import { env, l10n } from 'vscode';
import type { AdoptFlow, Look } from '../../core/flows/adoptFlow.ts';
import { canonicalUuid } from '../../core/util/uuid.ts';
import { askText, type StepPosition } from '../../host/quickInput.ts';
import type { WaitingRequests } from '../../host/waitingRequests.ts';
import { reasonText } from '../../host/words.ts';

/** What a service, or this person's own list, has under an id. */
export type FoundById = Exclude<Look, { kind: 'failed' }>;

/** Dependencies of asking for an ID. */
export interface AskIdParts {
  readonly adoptFlow: AdoptFlow;
  readonly waitingRequests: WaitingRequests;
}

/**
 * Asks for the id of a transfer of a connection; one on the clipboard is offered. The name of a folder `dts-<id>` will do.
 * What is there is looked up before the input goes away; `refuse` may have something against it. Undefined when the person left.
 */
export async function askTransferId(
  { adoptFlow, waitingRequests }: AskIdParts,
  connectionId: string,
  position: StepPosition,
  prompt: string,
  refuse: (found: FoundById) => string | undefined,
): Promise<FoundById | undefined> {
  let found: FoundById | undefined;
  const answer = await askText(position, {
    prompt,
    placeholder: '123e4567-e89b-42d3-a456-426614174000',
    value: idIn(await env.clipboard.readText()) ?? '',
    validate: (text) => (idIn(text) === undefined ? l10n.t('This is not the id of a transfer yet.') : undefined),
    check: async (text, signal) => {
      const id = idIn(text) ?? '';
      const look = await waitingRequests.run(l10n.t('Check the transfer {0}', id), (turn) =>
        adoptFlow.look(connectionId, id, AbortSignal.any([signal, turn.signal]), turn.observer),
      );
      if (look.kind === 'failed') return l10n.t('Could not check this id: {0}', reasonText(look.reason));
      found = look;
      return refuse(look);
    },
  });
  return typeof answer === 'string' ? undefined : found;
}

const longestPath = 4096;

function idIn(text: string): string | undefined {
  if (text.length > longestPath) return undefined;
  const lastPart =
    text
      .trim()
      .replace(/[/\\]+$/, '')
      .split(/[/\\]/)
      .at(-1) ?? '';
  return canonicalUuid(lastPart.replace(/^dts-/i, ''));
}
