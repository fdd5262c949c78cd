import type { Guard } from '../../messages/guards.ts';
import { openableLink } from '../../messages/links.ts';

interface EditorApi {
  postMessage(message: unknown): void;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): EditorApi;

/** The page's line to the host. */
export interface Channel<Intent> {
  say(intent: Intent): void;
  /** Keeps what the page needs to come back after a reload of the window. */
  keep(state: unknown): void;
}

/**
 * Opens the line to the host: listens, drops what the guard does not know, and says `ready`.
 * Links of the page go through the host, never through the frame itself.
 */
export function openChannel<News, Intent>(isNews: Guard<News>, onNews: (news: News) => void): Channel<Intent> {
  const api = acquireVsCodeApi();
  window.addEventListener('message', (event: MessageEvent<unknown>) => {
    if (isNews(event.data)) onNews(event.data);
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
  api.postMessage({ type: 'ready' });
  return { say: (intent) => api.postMessage(intent), keep: (state) => api.setState(state) };
}
