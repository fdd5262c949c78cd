import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ThemeName } from '../../test/support/editor/settings.ts';
import type { SceneOptions } from './stage.ts';
import { actions, type Action } from './steps.ts';

/** A visible state, with the steps that lead to it from the previous state. */
export interface State {
  readonly name: string;
  /** The only theme in which a screenshot is taken; undefined for all themes. */
  readonly theme: ThemeName | undefined;
  readonly steps: readonly Step[];
}

/** Consecutive states of one window. */
export interface Scene extends SceneOptions {
  readonly name: string;
  readonly states: readonly State[];
}

interface Step {
  readonly action: Action;
  readonly args: readonly string[];
}

/** Parses `scenes.txt`, which describes its own format. Throws if it names a step that does not exist. */
export function readScenes(): readonly Scene[] {
  const [, ...scenes] = readFileSync(join(import.meta.dirname, 'scenes.txt'), 'utf8').split(/^# /m);
  return scenes.map((text) => {
    const [title = '', ...states] = text.trim().split(/\n+(?=\S)/);
    const [name = '', saved] = title.split(': ');
    return {
      name,
      connections: saved?.split(', ') ?? [],
      asksForTrust: name === 'untrusted',
      language: name === 'french' ? 'fr' : undefined,
      states: states.map(parseState),
    };
  });
}

function parseState(text: string): State {
  const {
    name = '',
    theme,
    steps = '',
  } = /^(?<name>[\w-]+)(?: in (?<theme>\w+))?:(?<steps>.*)$/s.exec(text)?.groups ?? {};
  const written = steps.split(/[;\n]/).map((step) => step.trim());
  return { name, theme: theme as ThemeName | undefined, steps: written.filter(Boolean).map(parseStep) };
}

function parseStep(text: string): Step {
  const [, name = '', args] = /^(\w+) ?(.*)$/.exec(text) ?? [];
  const action = actions[name];
  if (!action) throw new Error(`There is no step "${name}" for "${text}".`);
  return { action, args: args ? args.split('|').map((arg) => arg.trim()) : [] };
}
