import { join } from 'node:path';
import { startEditor, type Editor } from '../../test/support/editor/editor.ts';
import { until } from '../../test/support/editor/until.ts';
import { fixtures } from './packedExtension.ts';
import { medianOf } from './rounds.ts';

/** What the editor says that an activation took, in whole milliseconds. */
interface Activation {
  readonly load: number;
  readonly call: number;
  /** Both of these: the figure beside the extension's name. */
  readonly took: number;
  /** From there until what `activate` returned was resolved. */
  readonly finish: number;
}

/** The medians of several starts. */
interface Starts {
  readonly ours: Activation;
  /** The extension that does nothing, in the same starts. */
  readonly empty: Activation;
  /** The same in starts without ours: what it would be if it never waited for ours. */
  readonly emptyAlone: Activation;
}

/** What the editor calls them in the list of running extensions, and in its account. */
const names = {
  ours: { shown: 'Data Transfer Explorer', id: 'data-transfer-explorer' },
  empty: { shown: 'empty', id: 'empty' },
} as const;

/**
 * Starts so many extension hosts with our extension and one that does nothing, both activated when the start is
 * finished, and as many in turn with the latter alone; reads of each what the editor itself says that activation took.
 * The editor is as a person has it, with all that it brings along: what it does at its start is in every figure.
 */
export async function measureStarts(extension: string, count: number): Promise<Starts> {
  const empty = join(fixtures, 'empty');
  // The account as an editor among others: a modal one would keep the keys.
  const settings = { 'workbench.editor.useModal': 'off' };
  const options = { settings, needsFullBrowser: true };
  const both = await startEditor({ ...options, extensionPath: extension, companions: [empty] });
  const alone = await startEditor({ ...options, extensionPath: empty });
  const starts: Record<keyof Starts, Activation[]> = { ours: [], empty: [], emptyAlone: [] };
  try {
    // The first start fills the caches of the system.
    for (let start = 0; start <= count; start++) {
      const together = await activationsIn(both, ['ours', 'empty']);
      const byItself = await activationsIn(alone, ['empty']);
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

/** Opens a window of its own, and reads the editor's account of its start once all that is wanted stands in it. */
async function activationsIn<K extends keyof typeof names>(
  editor: Editor,
  wanted: readonly K[],
): Promise<Record<K, Activation>> {
  const person = await editor.newPerson();
  try {
    const window = await person.openWindow();
    // All lines that are read stand on one screen.
    await window.page.setViewportSize({ width: 1280, height: 2600 });
    await window.command('Developer: Show Running Extensions');
    const running = window.page.locator('.runtime-extensions-editor .monaco-list-row', {
      hasText: /Activation: \d+ms/,
    });
    for (const one of wanted) await running.filter({ hasText: names[one].shown }).waitFor();
    await window.command('Developer: Startup Performance');
    const lines = window.page.locator('.editor-instance .view-line');
    return await until('all in the account', async () => {
      const text = (await lines.allInnerTexts()).join('\n').replaceAll('\u00a0', ' ');
      const found = wanted.map((one) => [one, rowOf(text, names[one].id)] as const);
      return found.every(([, row]) => row) ? (Object.fromEntries(found) as Record<K, Activation>) : undefined;
    });
  } finally {
    await person.close();
  }
}

function rowOf(text: string, name: string): Activation | undefined {
  const row = new RegExp(String.raw`\.${name} *\| \w+ *\| (\d+) *\| (\d+) *\| (\d+) *\|`).exec(text);
  if (!row) return undefined;
  const [load = 0, call = 0, finish = 0] = row.slice(1).map(Number);
  return { load, call, took: load + call, finish };
}

function medianActivation(all: readonly Activation[]): Activation {
  const of = (part: keyof Activation): number => medianOf(all.map((one) => one[part]));
  return { load: of('load'), call: of('call'), took: of('took'), finish: of('finish') };
}
