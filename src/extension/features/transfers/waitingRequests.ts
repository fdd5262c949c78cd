import { l10n, ProgressLocation, window } from 'vscode';
import type { RequestWait, TurnObserver } from '../../../core/model/requestTurn.ts';
import type { Clock } from '../../../core/util/clock.ts';
import { Lifetime } from '../../../core/util/lifetime.ts';
import { setHasWaiting } from '../../editor/contextKeys.ts';
import type { CommandId } from '../../editor/contributions.ts';
import { toSentence } from '../../../core/util/sharedTexts.ts';
import { describeRequestWait } from '../../../core/words/sharedSentences.ts';
import { describeReason } from '../../words/reasonWords.ts';
import { escapeIconsAndLinks } from '../../words/plainText.ts';

/** Delay before a waiting request is shown, in milliseconds. */
const notificationDelayMs = 1_000;

const sendNowCommand: CommandId = 'dataTransfer.sendNow';

/** A request that waits until the server has responded to another one (D34: serialized requests). */
export interface WaitingRequest {
  /** Title of the request, for example "Transfer 2 files to Archive". */
  readonly title: string;
  /** Sends the request immediately. */
  sendNow(): void;
}

/** A request and the state of its notification. */
interface TrackedRequest extends WaitingRequest {
  wait: RequestWait | undefined;
  report?: (message: string) => void;
}

/**
 * Options for the sender of a request: `observer` is notified when the request waits and when it is sent, and `signal`
 * is aborted when the user withdraws the request.
 */
interface FollowedTurn {
  readonly observer: TurnObserver;
  readonly signal: AbortSignal;
}

/** Shows the requests that are waiting for their turn, and lets the user send or withdraw them. */
export class WaitingRequests {
  private readonly clock: Clock;
  private readonly shown = new Set<WaitingRequest>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Returns the shown requests, oldest first. */
  getAll(): readonly WaitingRequest[] {
    return [...this.shown];
  }

  /** Sends a request. While the request waits, a notification explains why and offers Send Now; Cancel withdraws it. */
  async run<T>(title: string, send: (turn: FollowedTurn) => Promise<T>): Promise<T> {
    const withdrawal = new AbortController();
    const lifetime = new Lifetime();
    const request: TrackedRequest = { title, wait: undefined, sendNow: () => request.wait?.sendNow() };
    const didWait = (wait: RequestWait): void => {
      const isFirst = request.wait === undefined;
      request.wait = wait;
      request.report?.(describeWait(wait));
      if (isFirst)
        lifetime.track(this.clock.after(notificationDelayMs, () => this.show(request, lifetime, withdrawal)));
    };
    const end = (): void => lifetime.dispose();
    try {
      return await send({ observer: { didWait, didStart: end }, signal: withdrawal.signal });
    } finally {
      end();
    }
  }

  private hide(request: TrackedRequest): void {
    this.shown.delete(request);
    setHasWaiting(this.shown.size > 0);
  }

  /** Shows a notification for a request until `lifetime` ends. */
  private show(request: TrackedRequest, lifetime: Lifetime, withdrawal: AbortController): void {
    this.shown.add(request);
    setHasWaiting(true);
    lifetime.track({ dispose: () => this.hide(request) });
    const title = escapeIconsAndLinks(request.title);
    const options = { location: ProgressLocation.Notification, title, cancellable: true };
    void window.withProgress(options, async (progress, token) => {
      lifetime.track(token.onCancellationRequested(() => withdrawal.abort()));
      request.report = (message) => progress.report({ message });
      if (request.wait) request.report(describeWait(request.wait));
      await new Promise<void>((resolve) => lifetime.track({ dispose: resolve }));
    });
  }
}

/** Describes why a request waits, without a server's text, because progress messages can have links. */
function describeWait({ behind }: RequestWait): string {
  const text = behind === 'submission' ? toSentence(describeReason({ kind: 'queued' })) : describeRequestWait(l10n);
  return `${text} [${l10n.t('Send Now…')}](command:${sendNowCommand})`;
}
