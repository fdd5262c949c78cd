import type { Guard } from '../../messages/guards.ts';
import { openableLink } from '../../messages/links.ts';

interface EditorApi {
  postMessage(message: unknown): void;
  setState(state: unknown): void;
  getState(): unknown;
}

declare function acquireVsCodeApi(): EditorApi;

/** The page's line to the host. */
export interface Channel<Intent> {
  /** Tells the host that the page is there; it answers with everything. */
  start(): void;
  say(intent: Intent): void;
  /** Keeps what the page needs to come back after a reload of the window. */
  keep(state: unknown): void;
  /** What was kept last, also by this page before it was hidden or reloaded. */
  kept(): unknown;
}

/**
 * Opens the line to the host: listens, drops what the guard does not know, and has the host log that it did.
 * Links of the page go through the host, never through the frame itself.
 */
export function openChannel<News, Intent>(isNews: Guard<News>, onNews: (news: News) => void): Channel<Intent> {
  const api = acquireVsCodeApi();
  window.addEventListener('message', (event: MessageEvent<unknown>) => {
    if (isNews(event.data)) onNews(event.data);
    else api.postMessage({ type: 'ignored' });
  });
  document.body.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link) return;
    // The editor's own listener, further up, would open the link a second time.
    event.preventDefault();
    event.stopPropagation();
    const address = openableLink(link.getAttribute('href') ?? '');
    if (address !== undefined) api.postMessage({ type: 'openLink', address });
  });
  const start = (): void => api.postMessage({ type: 'ready' });
  return {
    start,
    say: (intent) => api.postMessage(intent),
    keep: (state) => api.setState(state),
    kept: () => api.getState(),
  };
}
