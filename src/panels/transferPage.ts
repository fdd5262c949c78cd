import { l10n, type WebviewPanel } from 'vscode';
import type { Estimate } from '../core/model/estimate.ts';
import {
  canSubmitAgain,
  hasEnded,
  isPaused,
  type Transfer,
  type TransferFile,
  type TransferState,
} from '../core/model/transfer.ts';
import { getOutcome, getProgress } from '../core/model/transferOutcome.ts';
import type { TransferStore } from '../core/store/transferStore.ts';
import type { Clock } from '../core/util/clock.ts';
import { Lifetime, type Disposable } from '../core/util/lifetime.ts';
import { signInRemedy } from '../host/signInWords.ts';
import { basisText, plainLine, reasonText, standingText, stateText, timeLeftText } from '../host/words.ts';
import {
  isTransferIntent,
  transferStates,
  type PageEstimate,
  type PageTransfer,
  type TransferIntent,
  type TransferSnapshot,
} from '../messages/transferMessages.ts';
import { openLink, PanelHost, pageWords, type PanelParts } from './panelHost.ts';

/** What a transfer page needs: the usual, and the transfers. */
export interface TransferParts extends PanelParts {
  readonly transfers: TransferStore;
  /** Brings in the transfers that ended in earlier sessions. */
  loadFinished(): Promise<void>;
  /** How long a transfer will still take; undefined where nothing honest can be said. */
  estimateOf(transfer: Transfer): Estimate | undefined;
  /** Shows the row of a transfer in its tree. */
  reveal(key: string): void;
  readonly clock: Clock;
}

/** How many files a snapshot carries; the others are sent once, when the person wants to see them. */
const firstFileCount = 200;

/** One open transfer page. It shows whatever the store says of its transfer, also when that is nothing yet. */
export class TransferPage implements Disposable {
  readonly key: string;
  private readonly lifetime = new Lifetime();
  private readonly host: PanelHost<TransferIntent>;
  private readonly parts: TransferParts;

  constructor(panel: WebviewPanel, parts: TransferParts, key: string) {
    this.parts = parts;
    this.key = key;
    this.host = this.lifetime.track(
      new PanelHost<TransferIntent>(panel, parts, {
        page: 'transfer',
        isIntent: isTransferIntent,
        start: () => ({ type: 'start', words: pageWords(), states: stateWords(), snapshot: this.snapshot() }),
        onIntent: (intent) => this.act(intent),
      }),
    );
    this.update();
  }

  reveal(): void {
    this.host.panel.reveal();
  }

  /** Tells the page how the transfer stands now. */
  update(): void {
    const transfer = this.parts.transfers.get(this.key);
    // A page that comes back has its title already, before its transfer is read.
    if (transfer) this.host.panel.title = titleOf(transfer);
    this.host.say({ type: 'snapshot', snapshot: this.snapshot() });
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private snapshot(): TransferSnapshot {
    const transfer = this.parts.transfers.get(this.key);
    const now = this.parts.clock.now();
    if (transfer === undefined) return { key: this.key, now };
    return { key: this.key, now, transfer: pageTransfer(transfer, this.parts.estimateOf(transfer)) };
  }

  private runRemedy(): void {
    const { problem, order } = this.parts.transfers.get(this.key) ?? {};
    const remedy = problem && order && signInRemedy(problem, order.connectionId);
    if (remedy) this.parts.run(remedy.id, remedy.argument);
  }

  private act(intent: TransferIntent): void {
    switch (intent.type) {
      case 'ready':
      case 'ignored':
        break;
      case 'cancel':
      case 'copyId':
      case 'submitAgain':
      case 'didStart':
        this.parts.run(commandsOfIntents[intent.type], { kind: 'transfer', key: this.key });
        break;
      case 'remedy':
        this.runRemedy();
        break;
      case 'startService':
        this.parts.run('dataTransfer.startLocalService');
        break;
      case 'reveal':
        this.parts.reveal(this.key);
        break;
      case 'listFiles':
        this.host.say({ type: 'files', files: this.parts.transfers.get(this.key)?.order.files ?? [] });
        break;
      case 'openLink':
        openLink(intent.address, this.parts.log);
        break;
    }
  }
}

const commandsOfIntents = {
  cancel: 'dataTransfer.cancelTransfer',
  copyId: 'dataTransfer.copyTransferId',
  submitAgain: 'dataTransfer.submitAgain',
  didStart: 'dataTransfer.transferDidStart',
} as const;

function titleOf(transfer: Transfer): string {
  if (transfer.startedElsewhere) return l10n.t('Transfer started elsewhere');
  return l10n.t('Transfer to {0}', plainLine(transfer.order.destination));
}

function pageTransfer(transfer: Transfer, estimate: Estimate | undefined): PageTransfer {
  const { order, problem, ...facts } = transfer;
  const { files, ...rest } = order;
  const sizeBytes = totalSizeBytes(files);
  const [ended, paused, outcome] = [hasEnded(facts.state), isPaused(transfer), getOutcome(transfer)];
  const remedy = problem && signInRemedy(problem, order.connectionId)?.look;
  return {
    ...facts,
    order: rest,
    firstFiles: files.slice(0, firstFileCount),
    askedFileCount: files.length,
    ...(sizeBytes !== undefined && { sizeBytes }),
    statusText: standingText(transfer),
    progress: getProgress(transfer),
    ...(outcome !== undefined && { outcome }),
    ended,
    paused,
    canSubmitAgain: canSubmitAgain(transfer),
    canCancel: !ended && !paused && facts.id !== undefined && facts.cancelAcceptedAt === undefined,
    ...(problem !== undefined && !paused && { problem: reasonText(problem) }),
    ...(remedy && { remedy }),
    ...(estimate !== undefined && { estimate: pageEstimate(estimate) }),
  };
}

function pageEstimate(estimate: Estimate): PageEstimate {
  const basis = basisText(estimate);
  return { text: timeLeftText(estimate), ...(basis !== undefined && { basis }) };
}

function totalSizeBytes(files: readonly TransferFile[]): number | undefined {
  let total = 0;
  for (const { sizeBytes } of files) {
    if (sizeBytes === undefined) return undefined;
    total += sizeBytes;
  }
  return total;
}

function stateWords(): Record<string, string> {
  const states = Object.keys(transferStates) as TransferState[];
  return Object.fromEntries(states.map((state) => [state, stateText(state)]));
}
