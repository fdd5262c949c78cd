import * as l10n from '@vscode/l10n';
import { render, type VNode } from 'preact';
import type { Guard } from '../messages/guards.ts';
import { toOpenableLink, type PageWords } from '../messages/pageMessages.ts';
import { createFormat, type Format } from './format.ts';
import { PageContext } from './pageContext.ts';
import { ViewState } from './viewState.ts';

/** The definition of a type of page: its messages, the state they produce, and its components. */
export interface PageDefinition<Message, State, Intent> {
  readonly isMessage: Guard<Message>;
  /** Returns the page's next state; undefined if there is nothing to show yet. */
  update(state: State | undefined, message: Message): State | undefined;
  /** Returns text that identifies the page's content. A change resets expanded sections and the scroll position. */
  getSubject(state: State): string;
  /** Returns the state that the editor saves to restore the page after a reload. */
  getSavedState(state: State): object;
  /** Returns the text for a screen reader to announce; undefined if there is nothing to announce. */
  describeChange(before: State, now: State, format: Format): string | undefined;
  isBusy(state: State): boolean;
  render(state: State, send: (intent: Intent) => void): VNode;
}

interface HostMessage {
  readonly type: string;
  /** Included in the first message. */
  readonly words?: PageWords;
}

/** Runs a page: renders the data from the host, and preserves focus, expanded sections and scroll position. */
export class PageApp<Message extends HostMessage, State, Intent> {
  private readonly root = getElement('page');
  private readonly announcements = getElement('announcements');
  private readonly view = new ViewState(() => {
    this.draw();
    this.save();
  });
  private readonly definition: PageDefinition<Message, State, Intent>;
  private readonly host = acquireVsCodeApi();
  private format = createFormat('en');
  private state: State | undefined;

  /**
   * Notifies the host that the page is ready, and reports messages that the guard rejects. Links are opened by the
   * host, never in the frame itself.
   */
  constructor(definition: PageDefinition<Message, State, Intent>) {
    this.definition = definition;
    document.addEventListener('scrollend', () => this.save(), { capture: true });
    window.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (definition.isMessage(data)) this.receive(data);
      else this.host.postMessage({ type: 'ignored' });
    });
    document.body.addEventListener('click', (event) => {
      const address = interceptLink(event);
      if (address !== undefined) this.host.postMessage({ type: 'openLink', address });
    });
    this.host.postMessage({ type: 'ready' });
  }

  private receive(message: Message): void {
    if (message.words) this.setLanguage(message.words);
    const before = this.state;
    const state = this.definition.update(before, message);
    if (state === undefined) return;
    this.state = state;
    const scrollY = this.restore(before, state);
    this.draw();
    if (scrollY !== undefined) getScroller().scrollTop = scrollY;
    this.save();
    const sentence = before && this.definition.describeChange(before, state, this.format);
    if (sentence !== undefined) this.announcements.textContent = sentence;
  }

  private setLanguage({ language, bundle }: PageWords): void {
    l10n.config({ contents: { ...bundle } });
    this.format = createFormat(language, bundle ? language : 'en');
  }

  /**
   * Restores the view state when the page starts, and clears it when the content changes. Returns the position to
   * scroll to; undefined to keep the current position.
   */
  private restore(before: State | undefined, state: State): number | undefined {
    const subject = this.definition.getSubject(state);
    if (before === undefined) return this.view.restore(this.host.getState(), subject);
    if (this.definition.getSubject(before) === subject) return undefined;
    this.view.clear();
    return 0;
  }

  /** Renders the page. If the focused element is removed, focuses the heading. */
  private draw(): void {
    if (this.state === undefined) return;
    const focused = document.activeElement;
    const { format, view, definition } = this;
    const content = definition.render(this.state, (intent) => this.host.postMessage(intent));
    this.root.ariaBusy = String(definition.isBusy(this.state));
    render(<PageContext.Provider value={{ format, view }}>{content}</PageContext.Provider>, this.root);
    const isLost = focused !== null && focused !== document.body && !focused.isConnected;
    if (isLost) this.root.querySelector('h1')?.focus({ preventScroll: true });
  }

  private save(): void {
    if (this.state === undefined) return;
    const place = this.view.save(this.definition.getSubject(this.state), getScroller().scrollTop);
    this.host.setState({ ...this.definition.getSavedState(this.state), ...place });
  }
}

function getScroller(): Element {
  return document.querySelector('.scroller') ?? document.documentElement;
}

function getElement(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no element "${id}".`);
  return found;
}

interface EditorApi {
  postMessage(message: unknown): void;
  setState(state: unknown): void;
  getState(): unknown;
}

declare function acquireVsCodeApi(): EditorApi;

/** Prevents the default action of a click on a link and returns the address to open; undefined if there is none. */
function interceptLink(event: MouseEvent): string | undefined {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link) return undefined;
  // The editor's own listener on an ancestor element would open the link a second time.
  event.preventDefault();
  event.stopPropagation();
  return toOpenableLink(link.getAttribute('href') ?? '');
}
