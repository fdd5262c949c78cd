import { button, element, type Child } from './dom.ts';
import { icon } from './icons.ts';

/** A sentence that stands out above what the page shows, with a button where there is something to do. */
export interface Note {
  readonly key: string;
  readonly kind: 'info' | 'warning' | 'error';
  readonly text: string;
  readonly action?: { readonly name: string; readonly label: string };
}

/** Draws a note; its kind is said by the icon and by the sentence, not by the colour alone. */
export function noteBox({ key, kind, text, action }: Note): HTMLElement {
  const children: Child[] = [icon(kind === 'info' ? 'info' : 'warning'), element('p', {}, element('bdi', {}, text))];
  if (action) children.push(button(action.name, action.label));
  return element('div', { 'data-key': `note:${key}`, class: `note ${kind}` }, ...children);
}
