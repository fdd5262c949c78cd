import { startEditor } from '../../test/support/editor/editor.ts';
import { until } from '../../test/support/editor/until.ts';
import type { EditorWindow } from '../../test/support/editor/window.ts';
import { join } from 'node:path';
import { fixtures } from './packedExtension.ts';
import { medianOf } from './rounds.ts';

/** Milliseconds in the median of all starts. */
interface Starts {
  readonly ours: number;
  readonly empty: number;
}

/**
 * Starts so many extension hosts, one after another, each with our packed extension and one that does nothing, and reads
 * of each what the editor itself says that activation took: loading the code, and the call of `activate`.
 */
export async function measureStarts(vsix: string, count: number): Promise<Starts> {
  const editor = await startEditor({ vsix, extensionPath: join(fixtures, 'empty') });
  const ours: number[] = [];
  const empty: number[] = [];
  try {
    for (let start = 0; start <= count; start++) {
      const person = await editor.newPerson();
      const window = await person.openWindow();
      const took = await activationTimes(window);
      await person.close();
      // The first start fills the caches of the system.
      if (start === 0) continue;
      ours.push(took.ours);
      empty.push(took.empty);
    }
  } finally {
    await editor.close();
  }
  return { ours: medianOf(ours), empty: medianOf(empty) };
}

async function activationTimes(window: EditorWindow): Promise<Starts> {
  await window.command('Developer: Show Running Extensions');
  const rows = window.page.locator('.runtime-extensions-editor .monaco-list-row');
  return await until('both extensions to be activated', async () => {
    const texts = (await rows.allInnerTexts()).map((text) => text.replaceAll('\u00a0', ' '));
    const timeOf = (id: RegExp): number | undefined => {
      const [, took] = /Activation: (\d+)ms/.exec(texts.find((text) => id.test(text)) ?? '') ?? [];
      return took === undefined ? undefined : Number(took);
    };
    const [ours, empty] = [timeOf(/data transfer explorer/i), timeOf(/\bempty\b/)];
    return ours === undefined || empty === undefined ? undefined : { ours, empty };
  });
}
