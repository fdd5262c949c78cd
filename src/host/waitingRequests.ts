import { l10n, ProgressLocation, window } from 'vscode';
import type { RequestWait, TurnObserver } from '../core/model/requestTurn.ts';
import type { Clock } from '../core/util/clock.ts';
import type { Disposable } from '../core/util/lifetime.ts';
import type { CommandId } from './contributions.ts';
import { inert } from './words.ts';

/** A shorter wait isn't worth a notification. */
const shownAfterMs = 1_000;

const sendNowCommand: CommandId = 'dataTransfer.sendNow';

/** A request that waits until the server has finished another one (D34). */
export interface WaitingRequest {
  /** Names the request for a person: "Transfer 2 files to Archive". */
  readonly title: string;
  /** Sends it without waiting any longer. */
  sendNow(): void;
}

/** A turn that is shown while it lasts. */
interface FollowedTurn {
  readonly observer: TurnObserver;
  readonly signal: AbortSignal;
}

/** Shows which requests wait for their turn, and lets the person send them at once or withdraw them. */
export class WaitingRequests {
  private readonly clock: Clock;
  private readonly shown = new Set<ShownWait>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Returns the requests that are shown as waiting, the oldest first. */
  all(): readonly WaitingRequest[] {
    return [...this.shown];
  }

  /** Runs a request. While it waits, a notification says for what, with Send Now; Cancel withdraws it unsent. */
  async run<T>(title: string, send: (turn: FollowedTurn) => Promise<T>): Promise<T> {
    const withdrawal = new AbortController();
    const shown = new ShownWait(title, () => withdrawal.abort());
    let delay: Disposable | undefined;
    const open = (): void => {
      this.shown.add(shown);
      shown.open();
    };
    const didWait = (wait: RequestWait): void => {
      shown.follow(wait);
      delay ??= this.clock.after(shownAfterMs, open);
    };
    const end = (): void => {
      delay?.dispose();
      this.shown.delete(shown);
      shown.dispose();
    };
    const observer: TurnObserver = { didWait, didStart: end };
    try {
      return await send({ observer, signal: withdrawal.signal });
    } finally {
      end();
    }
  }
}

/** The notification of one request. */
class ShownWait implements WaitingRequest, Disposable {
  readonly title: string;
  private readonly withdraw: () => void;
  private wait: RequestWait | undefined;
  private report: ((message: string) => void) | undefined;
  private close: (() => void) | undefined;
  private hasEnded = false;

  constructor(title: string, withdraw: () => void) {
    this.title = title;
    this.withdraw = withdraw;
  }

  follow(wait: RequestWait): void {
    this.wait = wait;
    this.report?.(messageFor(wait));
  }

  sendNow(): void {
    this.wait?.sendNow();
  }

  /** Shows the notification until the request is sent. */
  open(): void {
    const options = { location: ProgressLocation.Notification, title: inert(this.title), cancellable: true };
    void window.withProgress(options, async (progress, token) => {
      const subscription = token.onCancellationRequested(() => !this.hasEnded && this.withdraw());
      this.report = (message) => progress.report({ message });
      if (this.wait) this.follow(this.wait);
      await new Promise<void>((resolve) => {
        this.close = resolve;
        if (this.hasEnded) resolve();
      });
      subscription.dispose();
    });
  }

  dispose(): void {
    this.hasEnded = true;
    this.close?.();
  }
}

/** Returns our own words only: the editor makes a link of what has the form of one. */
function messageFor({ behind }: RequestWait): string {
  const words =
    behind === 'submission'
      ? l10n.t('Waiting for another submission to this server to finish.')
      : l10n.t('Waiting for another request to this server to finish.');
  return `${words} [${l10n.t('Send Now…')}](command:${sendNowCommand})`;
}
