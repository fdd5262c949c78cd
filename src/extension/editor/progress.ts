import { ProgressLocation, window } from 'vscode';
import { settlesWithin, systemClock } from '../../core/util/clock.ts';
import { escapeIconsAndLinks } from '../words/plainText.ts';

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
export async function withLateProgress<T>(title: string, operation: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const cancellation = new AbortController();
  const result = operation(cancellation.signal);
  if (await settlesWithin(systemClock, quickMs, result)) return await result;
  return await withProgress(title, async (signal) => {
    signal.addEventListener('abort', () => cancellation.abort());
    return await result;
  });
}
