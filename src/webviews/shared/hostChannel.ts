import type { Guard } from '../messages/guards.ts';
import { toOpenableLink } from '../messages/links.ts';

interface EditorApi {
  postMessage(message: unknown): void;
  setState(state: unknown): void;
  getState(): unknown;
}

declare function acquireVsCodeApi(): EditorApi;

/** Connects a page to its host. */
export interface HostChannel<Intent> {
  send(intent: Intent): void;
  /** Saves the state for restoring the page after it is hidden or the window is reloaded. */
  saveState(state: object): void;
  /** Returns the state that was last saved; undefined if there is none. */
  readState(): unknown;
}

/**
 * Opens the channel to the host and notifies the host that the page is ready. Drops messages that the guard rejects and
 * reports them to the host. Links are opened by the host, never in the frame itself.
 */
export function openHostChannel<Message, Intent>(
  isMessage: Guard<Message>,
  onMessage: (message: Message) => void,
): HostChannel<Intent> {
  const api = acquireVsCodeApi();
  window.addEventListener('message', (event: MessageEvent<unknown>) => {
    if (isMessage(event.data)) onMessage(event.data);
    else api.postMessage({ type: 'ignored' });
  });
  document.body.addEventListener('click', (event) => {
    const address = interceptLink(event);
    if (address !== undefined) api.postMessage({ type: 'openLink', address });
  });
  api.postMessage({ type: 'ready' });
  return {
    send: (intent) => api.postMessage(intent),
    saveState: (state) => api.setState(state),
    readState: () => api.getState(),
  };
}

/** Prevents the default action of a click on a link and returns the address to open; undefined if there is none. */
function interceptLink(event: MouseEvent): string | undefined {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link) return undefined;
  // The editor's own listener on an ancestor element would open the link a second time.
  event.preventDefault();
  event.stopPropagation();
  return toOpenableLink(link.getAttribute('href') ?? '');
}
