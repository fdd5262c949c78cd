import { join } from 'node:path';
import { startEditor, type Editor } from '../../test/support/editor/editor.ts';
import { until } from '../../test/support/editor/until.ts';
import { fixtures } from './packedExtension.ts';
import { getMedian } from './rounds.ts';

/** Activation times as reported by the editor, in whole milliseconds. */
interface Activation {
  readonly load: number;
  readonly call: number;
  /** The sum of both, which the editor shows beside the extension's name. */
  readonly took: number;
  /** The time from then until the promise of `activate` was resolved. */
  readonly finish: number;
}

/** The medians of several starts. */
interface Starts {
  readonly ours: Activation;
  /** The empty extension in the same starts. */
  readonly empty: Activation;
  /** The empty extension in starts without ours, so that it never waits for ours. */
  readonly emptyAlone: Activation;
}

/** The names of the extensions in the editor's list of running extensions, and in its log. */
const names = {
  ours: { shown: 'Data Transfer Explorer', id: 'data-transfer-explorer' },
  empty: { shown: 'empty', id: 'empty' },
} as const;

/**
 * Starts extension hosts with our extension and an empty one, both activated after startup, alternating with hosts that
 * have only the empty one. Reads the activation times that the editor reports. The editor has its built-in extensions,
 * so that its own startup work affects every value equally.
 */
export async function measureStarts(extension: string, count: number): Promise<Starts> {
  const empty = join(fixtures, 'empty');
  // The list opens as a normal editor, because a modal one would capture the keys.
  const settings = { 'workbench.editor.useModal': 'off' };
  const options = { settings, needsFullBrowser: true };
  const both = await startEditor({ ...options, extensionPath: extension, companions: [empty] });
  const alone = await startEditor({ ...options, extensionPath: empty });
  const starts: Record<keyof Starts, Activation[]> = { ours: [], empty: [], emptyAlone: [] };
  try {
    // The first start fills the caches of the system.
    for (let start = 0; start <= count; start++) {
      const together = await readActivations(both, ['ours', 'empty']);
      const byItself = await readActivations(alone, ['empty']);
      if (start === 0) continue;
      starts.ours.push(together.ours);
      starts.empty.push(together.empty);
      starts.emptyAlone.push(byItself.empty);
    }
  } finally {
    await both.close();
    await alone.close();
  }
  const { ours, emptyAlone } = starts;
  return {
    ours: medianActivation(ours),
    empty: medianActivation(starts.empty),
    emptyAlone: medianActivation(emptyAlone),
  };
}

/** Opens a new window. Resolves to the activation times in the editor's startup report once it is complete. */
async function readActivations<K extends keyof typeof names>(
  editor: Editor,
  wanted: readonly K[],
): Promise<Record<K, Activation>> {
  const person = await editor.newPerson();
  try {
    const window = await person.openWindow();
    // Makes all the lines to read fit on one screen.
    await window.page.setViewportSize({ width: 1280, height: 2600 });
    await window.command('Developer: Show Running Extensions');
    const running = window.page.locator('.runtime-extensions-editor .monaco-list-row', {
      hasText: /Activation: \d+ms/,
    });
    for (const one of wanted) await running.filter({ hasText: names[one].shown }).waitFor();
    await window.command('Developer: Startup Performance');
    const lines = window.page.locator('.editor-instance .view-line');
    return await until('all rows of the startup report', async () => {
      const text = (await lines.allInnerTexts()).join('\n').replaceAll('\u00a0', ' ');
      const found = wanted.map((one) => [one, findRow(text, names[one].id)] as const);
      return found.every(([, row]) => row) ? (Object.fromEntries(found) as Record<K, Activation>) : undefined;
    });
  } finally {
    await person.close();
  }
}

function findRow(text: string, name: string): Activation | undefined {
  const row = new RegExp(String.raw`\.${name} *\| \w+ *\| (\d+) *\| (\d+) *\| (\d+) *\|`).exec(text);
  if (!row) return undefined;
  const [load = 0, call = 0, finish = 0] = row.slice(1).map(Number);
  return { load, call, took: load + call, finish };
}

function medianActivation(all: readonly Activation[]): Activation {
  const of = (part: keyof Activation): number => getMedian(all.map((one) => one[part]));
  return { load: of('load'), call: of('call'), took: of('took'), finish: of('finish') };
}
