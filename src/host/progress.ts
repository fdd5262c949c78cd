import { ProgressLocation, window } from 'vscode';
import { inert } from './words.ts';

/** Shows that something of a few seconds is going on, with a button that ends it: `signal` is aborted then. */
export async function withProgress<T>(
  title: string,
  work: (signal: AbortSignal, report: (message: string) => void) => Promise<T>,
): Promise<T> {
  const options = { location: ProgressLocation.Notification, title: inert(title), cancellable: true };
  return await window.withProgress(options, async (progress, token) => {
    const ending = new AbortController();
    const subscription = token.onCancellationRequested(() => ending.abort());
    try {
      return await work(ending.signal, (message) => progress.report({ message: inert(message) }));
    } finally {
      subscription.dispose();
    }
  });
}
