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

/** Evaluates a `when` clause that contains only `&&`, `||`, `!`, context keys and the view. */
function evaluate(when: string, view: string, facts: ReadonlySet<string>): boolean {
  const isTrue = (term: string): boolean => {
    const [, named] = /^view == (.+)$/.exec(term) ?? [];
    if (named !== undefined) return named === view;
    return term.startsWith('!') ? !facts.has(term.slice(1)) : facts.has(term);
  };
  return when.split(' || ').some((part) => part.split(' && ').every((term) => isTrue(term.trim())));
}

/** Returns the buttons in the title of a view, from left to right. The editor right-aligns them. */
function listButtons(view: string, facts: ReadonlySet<string>): readonly string[] {
  const order = ({ group }: Entry): number => Number(group.slice('navigation@'.length));
  return entries
    .filter(({ when }) => evaluate(when, view, facts))
    .sort((one, other) => order(one) - order(other))
    .map(({ command }) => command);
}

/** Returns the position of a button, counted from the right. */
function getPosition(all: readonly string[], command: string): number {
  return all.length - all.indexOf(command);
}

/** Asserts that no button moves when other buttons appear or disappear, and that new ones are added on the left. */
function assertSteady(before: readonly string[], now: readonly string[]): void {
  const stays = before.filter((command) => now.includes(command));
  for (const command of stays)
    assert.equal(getPosition(now, command), getPosition(before, command), `${command} stays`);
  for (const command of now.filter((one) => !before.includes(one)))
    assert.ok(getPosition(now, command) > before.length, `${command} comes to the left of all others`);
}

describe('The buttons in the title of a view', () => {
  for (const view of views) {
    it(`keep their positions in ${view}, so that a double click never hits another button`, () => {
      for (const facts of listSubsets(keys)) {
        const before = listButtons(view, facts);
        for (const key of keys) assertSteady(before, listButtons(view, toggle(facts, key)));
      }
    });
  }

  it('leave room for the number and the size of the checked files, which the editor truncates', () => {
    assert.equal(listButtons('dataTransfer.searchResults', new Set(keys)).length, 1);
  });
});

function toggle(facts: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const others = [...facts].filter((one) => one !== key);
  return new Set(facts.has(key) ? others : [...others, key]);
}

function listSubsets(all: readonly string[]): readonly ReadonlySet<string>[] {
  return Array.from(
    { length: 2 ** all.length },
    (_, bits) => new Set(all.filter((_key, index) => bits & (1 << index))),
  );
}
