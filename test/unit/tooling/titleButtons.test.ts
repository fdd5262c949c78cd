import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

interface Entry {
  readonly command: string;
  readonly when: string;
  readonly group: string;
}

const root = resolve(import.meta.dirname, '..', '..', '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly contributes: { readonly menus: { readonly 'view/title': readonly Entry[] } };
};
const entries = manifest.contributes.menus['view/title'].filter(({ group }) => group.startsWith('navigation@'));
const keys = [...new Set(entries.flatMap(({ when }) => when.match(/dataTransfer\.(?:connected|has\w+)/g) ?? []))];
const views = [...new Set(entries.map(({ when }) => /view == (\S+)/.exec(when)?.[1] ?? ''))];

/** Returns whether a when-clause of `&&`, `||`, `!` and one view holds. */
function holds(when: string, view: string, facts: ReadonlySet<string>): boolean {
  const isTrue = (term: string): boolean => {
    const [, named] = /^view == (.+)$/.exec(term) ?? [];
    if (named !== undefined) return named === view;
    return term.startsWith('!') ? !facts.has(term.slice(1)) : facts.has(term);
  };
  return when.split(' || ').some((part) => part.split(' && ').every((term) => isTrue(term.trim())));
}

/** Returns the buttons in a view's title; they stand at its right end. */
function buttons(view: string, facts: ReadonlySet<string>): readonly string[] {
  const order = ({ group }: Entry): number => Number(group.slice('navigation@'.length));
  return entries
    .filter(({ when }) => holds(when, view, facts))
    .sort((one, other) => order(one) - order(other))
    .map(({ command }) => command);
}

describe('The buttons in the title of a view', () => {
  for (const view of views) {
    it(`stay where they are in ${view}, so that a double click never reaches another one`, () => {
      for (const facts of subsets(keys)) {
        const before = buttons(view, facts);
        for (const key of keys) {
          const now = buttons(
            view,
            new Set(facts.has(key) ? [...facts].filter((one) => one !== key) : [...facts, key]),
          );
          const fromRight = (all: readonly string[], command: string): number => all.length - all.indexOf(command);
          for (const command of before.filter((one) => now.includes(one))) {
            assert.equal(fromRight(now, command), fromRight(before, command), `${command} when ${key} changes`);
          }
          const place = fromRight(before, before[0] ?? '');
          for (const command of now.filter((one) => !before.includes(one))) {
            assert.ok(before.length === 0 || fromRight(now, command) > place, `${command} takes no other's place`);
          }
        }
      }
    });
  }
});

function subsets(all: readonly string[]): readonly ReadonlySet<string>[] {
  return Array.from(
    { length: 2 ** all.length },
    (_, bits) => new Set(all.filter((_key, index) => bits & (1 << index))),
  );
}
