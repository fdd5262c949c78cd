import { join } from 'node:path';
import { startEditor } from '../../test/support/editor/editor.ts';
import { until } from '../../test/support/editor/until.ts';
import type { EditorWindow } from '../../test/support/editor/window.ts';
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

/** The two in one start, or in the median of several. */
interface Start {
  readonly ours: Activation;
  readonly empty: Activation;
}

/**
 * Starts so many extension hosts, one after another, each with our extension and one that does nothing, and reads of
 * each what the editor itself says that activation took. Nothing else is activated, and the empty one only after ours:
 * in a host that is busy, each figure would hold the others' work.
 */
export async function measureStarts(extension: string, count: number): Promise<Start> {
  const companions = [join(fixtures, 'empty')];
  // The list of running extensions as an editor among others: a modal one would keep the keys.
  const settings = { 'workbench.editor.useModal': 'off' };
  const editor = await startEditor({ extensionPath: extension, companions, hasBuiltIns: false, settings });
  const starts: Start[] = [];
  try {
    // The first start fills the caches of the system.
    for (let start = 0; start <= count; start++) {
      const person = await editor.newPerson();
      const window = await person.openWindow();
      const activations = await activationsIn(window);
      if (start > 0) starts.push(activations);
      await person.close();
    }
  } finally {
    await editor.close();
  }
  return {
    ours: medianActivation(starts.map(({ ours }) => ours)),
    empty: medianActivation(starts.map(({ empty }) => empty)),
  };
}

/** Waits for ours, lets the empty one begin by a look at its view, and reads the editor's account of its start when both are done. */
async function activationsIn(window: EditorWindow): Promise<Start> {
  // All lines that are read stand on one screen.
  await window.page.setViewportSize({ width: 1280, height: 1600 });
  await window.command('Developer: Show Running Extensions');
  const running = window.page.locator('.runtime-extensions-editor .monaco-list-row', { hasText: /Activation: \d+ms/ });
  await running.filter({ hasText: 'Data Transfer' }).waitFor();
  await window.openContainer('Bench');
  await running.filter({ hasText: 'empty' }).waitFor();
  await window.command('Developer: Startup Performance');
  const lines = window.page.locator('.editor-instance .view-line');
  return await until('both in the account', async () => {
    const text = (await lines.allInnerTexts()).join('\n').replaceAll('\u00a0', ' ');
    const [ours, empty] = [rowOf(text, 'data-transfer-explorer'), rowOf(text, 'empty')];
    return ours && empty && { ours, empty };
  });
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
