import { button, element, type Child } from './dom.ts';
import { icon } from './icons.ts';
import type { Note } from './note.ts';

/** Draws a note; its kind is said by the icon and by the sentence, not by the colour alone. */
export function noteBox({ key, kind, text, action }: Note): HTMLElement {
  const children: Child[] = [icon(kind === 'info' ? 'info' : 'warning'), element('p', {}, element('bdi', {}, text))];
  if (action) children.push(button(action.name, action.label));
  return element('div', { 'data-key': `note:${key}`, class: `note ${kind}` }, ...children);
}
