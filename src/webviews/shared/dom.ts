import { openableLink } from '../../messages/links.ts';
import { visibleText } from './text.ts';

/** The attributes that pages use; none of them can run anything. `href` is set by {@link link} alone. */
type AttributeName =
  | 'class'
  | 'id'
  | 'title'
  | 'dir'
  | 'role'
  | 'type'
  | 'scope'
  | 'open'
  | 'tabindex'
  | 'datetime'
  | `aria-${string}`
  | `data-${string}`;

/** Values of attributes: `true` sets an empty one, `false` and undefined leave it out. */
type Attributes = Readonly<Partial<Record<AttributeName, string | boolean | undefined>>>;

/** What can stand in an element; undefined stands for nothing. */
export type Child = Node | string | undefined;

/** Makes an element. Text becomes text, whatever it holds. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** Text that came from a server, set apart so that its writing direction cannot spill over. */
export function foreign(text: string, className?: string): HTMLElement {
  return element('bdi', { class: className }, visibleText(text));
}

/** A link where the address may be opened, else only its text. */
export function link(text: string, address: string | undefined): HTMLElement {
  const href = address === undefined ? undefined : openableLink(address);
  if (href === undefined) return foreign(text);
  const made = element('a', { title: href }, foreign(text));
  made.setAttribute('href', href);
  return made;
}

/** What a button does, as the listener of the page reads it. */
interface ButtonOptions {
  readonly kind?: 'primary' | 'plain' | 'link';
  readonly argument?: string;
  /** What a screen reader says instead of the label, where the label alone is not enough. */
  readonly spoken?: string;
  readonly icon?: Node;
}

/** A button; its action is taken up by {@link onAction}. */
export function button(action: string, label: string, options: ButtonOptions = {}): HTMLButtonElement {
  const attributes = {
    type: 'button',
    class: `button ${options.kind ?? 'plain'}`,
    'data-key': `${action}:${options.argument ?? ''}`,
    'data-action': action,
    'data-argument': options.argument,
    'aria-label': options.spoken,
  };
  return element('button', attributes, options.icon, label);
}

/** Calls back with the action and the argument of each button pressed. One listener serves all there will ever be. */
export function onAction(root: HTMLElement, call: (action: string, argument: string) => void): void {
  root.addEventListener('click', (event) => {
    const pressed = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-action]') : null;
    if (pressed?.dataset['action'] !== undefined) call(pressed.dataset['action'], pressed.dataset['argument'] ?? '');
  });
}

/** A part of the page under its own heading, or nothing when there is nothing to stand in it. */
export function section(key: string, heading: string, ...children: readonly Child[]): HTMLElement | undefined {
  const present = children.filter((child) => child !== undefined);
  if (present.length === 0) return undefined;
  const id = `heading-${key}`;
  return element(
    'section',
    { 'data-key': key, class: `part part-${key}`, 'aria-labelledby': id },
    element('h2', { id }, heading),
    ...present,
  );
}
