import { button, element, type Child } from './dom.ts';
import { icon } from './icons.ts';
import type { Note } from './note.ts';

/** Draws a note; its kind is said by the icon and by the sentence, not by the colour alone. */
export function noteBox({ key, kind, text, action, remedy }: Note): HTMLElement {
  const children: Child[] = [icon(kind === 'info' ? 'info' : 'warning'), element('p', {}, element('bdi', {}, text))];
  for (const one of [action, remedy]) if (one) children.push(button(one.name, one.label));
  return element('div', { 'data-key': `note:${key}`, class: `note ${kind}` }, ...children);
}
