import { l10n, ProgressLocation, window } from 'vscode';
import { settlesWithin, systemClock } from '../../core/util/clock.ts';
import { escapeIconsAndLinks } from '../words/plainText.ts';

type Kind = 'info' | 'warning' | 'error';

/** A button in a notification. */
export interface NotificationAction {
  readonly label: string;
  run(): unknown;
}

/** Shows the extension's messages. Asynchronous methods resolve after a button was selected or the message closed. */
export class Notifications {
  /** Receives the label of a button whose action failed, and the error. */
  private readonly reportFailure: (label: string, error: unknown) => void;

  constructor(reportFailure: (label: string, error: unknown) => void) {
    this.reportFailure = reportFailure;
  }

  async info(message: string, ...actions: NotificationAction[]): Promise<void> {
    await this.show('info', message, actions);
  }

  async warning(message: string, ...actions: NotificationAction[]): Promise<void> {
    await this.show('warning', message, actions);
  }

  async error(message: string, ...actions: NotificationAction[]): Promise<void> {
    await this.show('error', message, actions);
  }

  /** Shows a modal confirmation. Resolves to true if the user selects the button labeled `label`. */
  async confirm(message: string, detail: string, label: string): Promise<boolean> {
    return (await this.choose('warning', message, detail, label)) === label;
  }

  /**
   * Shows a modal confirmation of a cancellation, in which a Cancel button would be ambiguous. The dialog has a button
   * labeled `closeLabel` instead. Resolves to true if the user selects the button labeled `label`.
   */
  async confirmOrLeave(message: string, detail: string, label: string, closeLabel: string): Promise<boolean> {
    const [yes, no] = [{ title: label }, { title: closeLabel, isCloseAffordance: true }];
    return (
      (await window.showWarningMessage(
        escapeIconsAndLinks(message),
        { modal: true, detail: escapeIconsAndLinks(detail) },
        yes,
        no,
      )) === yes
    );
  }

  /** Shows a modal choice. Resolves to the label of the selected button; undefined if the user cancels. */
  async choose(kind: Kind, message: string, detail: string, ...labels: string[]): Promise<string | undefined> {
    return await showMessage(kind, message, labels, detail);
  }

  /** Shows a message with buttons. Resolves to the label of the selected button; undefined if the message is closed. */
  async offer(kind: Kind, message: string, ...labels: string[]): Promise<string | undefined> {
    return await showMessage(kind, message, labels);
  }

  /** Shows a multiline result in a modal message. */
  async report(kind: Kind, message: string, detail: string, ...actions: NotificationAction[]): Promise<void> {
    await this.show(kind, message, actions, detail);
  }

  showStatusMessage(message: string): void {
    window.setStatusBarMessage(escapeIconsAndLinks(message), 4000);
  }

  private async show(
    kind: Kind,
    message: string,
    actions: readonly NotificationAction[],
    detail?: string,
  ): Promise<void> {
    const labels = actions.map((action) => action.label);
    const label = await showMessage(kind, message, labels, detail);
    try {
      await actions.find((one) => one.label === label)?.run();
    } catch (error) {
      this.reportFailure(label ?? '', error);
    }
  }
}

/** Shows a message, which is modal if it has a detail. Resolves to the label of the selected button. */
async function showMessage(
  kind: Kind,
  message: string,
  labels: readonly string[],
  detail?: string,
): Promise<string | undefined> {
  const { showInformationMessage: info, showWarningMessage: warning, showErrorMessage: error } = window;
  const show = { info, warning, error }[kind];
  const text = escapeIconsAndLinks(message);
  if (detail === undefined) return await show(text, ...labels);
  return await show(text, { modal: true, detail: escapeIconsAndLinks(detail) }, ...labels);
}

/** Creates the button that opens the log. */
export function createShowLogAction(show: () => unknown): NotificationAction {
  return { label: l10n.t('Show Log'), run: show };
}

/** Shows a progress notification during a short operation. The Cancel button aborts the operation's `signal`. */
export async function withProgress<T>(
  title: string,
  operation: (signal: AbortSignal, report: (message: string) => void) => Promise<T>,
): Promise<T> {
  const options = { location: ProgressLocation.Notification, title: escapeIconsAndLinks(title), cancellable: true };
  return await window.withProgress(options, async (progress, token) => {
    const cancellation = new AbortController();
    const subscription = token.onCancellationRequested(() => cancellation.abort());
    try {
      return await operation(cancellation.signal, (message) =>
        progress.report({ message: escapeIconsAndLinks(message) }),
      );
    } finally {
      subscription.dispose();
    }
  });
}

/** Time in milliseconds after which {@link withLateProgress} shows a notification. */
const quickMs = 500;

/** Runs an operation. Shows a progress notification like {@link withProgress} only if the operation isn't quick. */
export async function withLateProgress<T>(
  title: string,
  operation: (signal: AbortSignal, report: (message: string) => void) => Promise<T>,
): Promise<T> {
  const cancellation = new AbortController();
  let show: (message: string) => void = () => undefined;
  const result = operation(cancellation.signal, (message) => show(message));
  if (await settlesWithin(systemClock, quickMs, result)) return await result;
  return await withProgress(title, async (signal, report) => {
    show = report;
    signal.addEventListener('abort', () => cancellation.abort());
    return await result;
  });
}
