import { randomUUID } from 'node:crypto';
import type { Reason } from '../model/reason.ts';
import type { TurnObserver } from '../model/requestTurn.ts';
import {
  withState,
  getState,
  toTrustedStatus,
  type Transfer,
  type TransferState,
  type TransferStatus,
} from '../model/transferModel.ts';
import type { TransferStore } from './transferStore.ts';
import type { Clock } from '../util/clock.ts';
import { omit } from '../util/json.ts';
import { catchRefusal, type OpenConnections } from '../connections/openConnections.ts';
import type { TransferFlow } from './transferFlow.ts';

/** The result of looking up a transfer: the known transfer, its status on the service, or the reason for failure. */
export type LookupResult =
  | { readonly kind: 'known'; readonly transfer: Transfer }
  | { readonly kind: 'found'; readonly id: string; readonly status: TransferStatus }
  | { readonly kind: 'failed'; readonly reason: Reason };

interface TrackFlowDependencies {
  readonly sessions: OpenConnections;
  readonly store: TransferStore;
  readonly transfers: TransferFlow;
  readonly clock: Clock;
}

/** Tracks transfers by ID: those started elsewhere, and those started here but not confirmed (D12: never resubmit). */
export class TrackFlow {
  private readonly dependencies: TrackFlowDependencies;

  constructor(dependencies: TrackFlowDependencies) {
    this.dependencies = dependencies;
  }

  /** Looks up a transfer by ID in this window and, if the transfer is unknown here, on the service (§4.6). */
  async lookUp(connectionId: string, id: string, signal?: AbortSignal, observer?: TurnObserver): Promise<LookupResult> {
    const { sessions, store, transfers } = this.dependencies;
    await transfers.loadFinished();
    const known = store.getAll().find((one) => one.id === id && one.order.connectionId === connectionId);
    if (known) return { kind: 'known', transfer: known };
    const session = sessions.get(connectionId);
    if (!session) return { kind: 'failed', reason: { kind: 'notConnected' } };
    const reply = await catchRefusal(() => session.client.transferStatus(id, signal, { observer }));
    if (reply.value) return { kind: 'found', id, status: reply.value };
    return { kind: 'failed', reason: reply.reason ?? { kind: 'unreadable' } };
  }

  /** Tracks a transfer that was started elsewhere, so that it is polled like any other transfer. */
  async track(connectionId: string, orcid: string, id: string, status: TransferStatus): Promise<Transfer> {
    const { sessions, clock, transfers } = this.dependencies;
    const now = clock.now();
    const state = toTrustedState(status);
    return await transfers.track({
      ...sessions.describe(connectionId),
      key: randomUUID(),
      id,
      order: { connectionId, orcid, source: '', destination: '', files: [] },
      createdAt: now,
      state,
      changes: [{ state, at: now }],
      status: toTrustedStatus(status),
      askedAt: now,
      startedElsewhere: true,
    });
  }

  /**
   * Assigns the service's ID to an unconfirmed transfer. Resolves to undefined for any other transfer (D12: never
   * resubmit).
   */
  async confirm(key: string, id: string, status: TransferStatus): Promise<Transfer | undefined> {
    const { store, clock, transfers } = this.dependencies;
    const transfer = store.get(key);
    if (transfer?.state !== 'notConfirmed') return undefined;
    const at = clock.now();
    const polled = { id, status: toTrustedStatus(status), askedAt: at };
    const confirmed = omit(withState(transfer, toTrustedState(status), at), 'problem');
    return await transfers.track({ ...confirmed, ...polled });
  }
}

/**
 * Returns the state that a status reports. Returns `accepted` for a doubtful status (D11: check status identity).
 */
export function toTrustedState(status: TransferStatus): TransferState {
  return status.doubtful ? 'accepted' : getState(status);
}
