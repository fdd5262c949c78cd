import { randomUUID } from 'node:crypto';
import type { Reason } from '../model/reason.ts';
import type { TurnObserver } from '../model/requestTurn.ts';
import {
  hasEnded,
  inState,
  stateOf,
  withTrustedCounts,
  type Transfer,
  type TransferState,
  type TransferStatus,
} from '../model/transfer.ts';
import type { TransferStore } from '../store/transferStore.ts';
import type { Clock } from '../util/clock.ts';
import { asked } from './asked.ts';
import type { Sessions } from './sessions.ts';
import type { TransferFlow } from './transferFlow.ts';

/** What there is under an id: a transfer that is known here, what the service tells of it, or why it tells nothing. */
export type Look =
  | { readonly kind: 'known'; readonly transfer: Transfer }
  | { readonly kind: 'told'; readonly id: string; readonly status: TransferStatus }
  | { readonly kind: 'failed'; readonly reason: Reason };

/** What an {@link AdoptFlow} needs. */
export interface AdoptParts {
  readonly sessions: Sessions;
  readonly store: TransferStore;
  readonly transfers: TransferFlow;
  readonly clock: Clock;
}

/** Takes over transfers by the service's id: those that were started elsewhere, and those not confirmed here (D12). */
export class AdoptFlow {
  private readonly parts: AdoptParts;

  constructor(parts: AdoptParts) {
    this.parts = parts;
  }

  /** Looks an id up, here and, by one request, at the service (§4.6). */
  async look(connectionId: string, id: string, signal?: AbortSignal, observer?: TurnObserver): Promise<Look> {
    const { sessions, store, transfers } = this.parts;
    await transfers.loadFinished();
    const known = store.all().find((one) => one.id === id && one.order.connectionId === connectionId);
    if (known) return { kind: 'known', transfer: known };
    const session = sessions.get(connectionId);
    if (!session) return { kind: 'failed', reason: { kind: 'notConnected' } };
    const reply = await asked(() => session.client.transferStatus(id, signal, { observer }));
    if (reply.value) return { kind: 'told', id, status: reply.value };
    return { kind: 'failed', reason: reply.reason ?? { kind: 'unreadable' } };
  }

  /** Takes a transfer over that was started elsewhere; from then on it is watched like any other. */
  async takeOver(connectionId: string, orcid: string, id: string, status: TransferStatus): Promise<Transfer> {
    const now = this.parts.clock.now();
    const state = believedState(status);
    return await this.parts.transfers.adopt({
      key: randomUUID(),
      id,
      order: { connectionId, orcid, source: '', destination: '', files: [] },
      createdAt: now,
      state,
      changes: [{ state, at: now }],
      status: withTrustedCounts(status),
      askedAt: now,
      startedElsewhere: true,
    });
  }

  /** Gives a transfer that was not confirmed the id under which it did start (D12); nothing for any other. */
  async confirm(key: string, id: string, status: TransferStatus): Promise<Transfer | undefined> {
    const { store, clock, transfers } = this.parts;
    const transfer = store.get(key);
    if (transfer?.state !== 'notConfirmed') return undefined;
    const at = clock.now();
    const confirmed = {
      ...inState(transfer, believedState(status), at),
      id,
      status: withTrustedCounts(status),
      askedAt: at,
    };
    Reflect.deleteProperty(confirmed, 'problem');
    return await transfers.adopt(confirmed);
  }
}

/** What seems to be another transfer's status ends nothing (D11): it is asked for again. */
function believedState(status: TransferStatus): TransferState {
  const state = stateOf(status);
  return status.doubtful && hasEnded(state) ? 'accepted' : state;
}
