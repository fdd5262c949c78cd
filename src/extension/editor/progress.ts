import { ProgressLocation, window } from 'vscode';
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
