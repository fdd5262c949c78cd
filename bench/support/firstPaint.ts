import type { Locator } from 'playwright-core';
import { join } from 'node:path';
import { getEditorDataHome, getLedgerIn } from '../../test/support/dataHome.ts';
import { savedConnection, startEditor, type Editor } from '../../test/support/editor/editor.ts';
import type { EditorWindow } from '../../test/support/editor/window.ts';
import { builtProgram, startLocalService, type StartedService } from '../../test/support/localService.ts';
import { makeLedger } from './ledgers.ts';
import { loadResults } from './longResults.ts';
import { getMedian, say } from './rounds.ts';
import { makeTree } from './tree.ts';

const few = { transferCount: 10, fileCount: 10 };
const many = { transferCount: 3_000, fileCount: 50_000 };
const turnCount = 7;
const limitMs = 120_000;

/** Milliseconds from the click on the container's icon in the activity bar until each view shows its first row. */
interface Paint {
  readonly transfers: number;
  readonly results: number;
}

/** An editor with ended transfers and results, and its window. */
interface TestWindow {
  readonly service: StartedService;
  readonly editor: Editor;
  readonly window: EditorWindow;
}

/**
 * Resolves to the first-paint times with 3,000 ended transfers and 50,000 results, relative to those with ten of each.
 */
export async function measureFirstPaint(extension: string, scratch: string): Promise<Paint> {
  const testWindows: TestWindow[] = [];
  try {
    for (const counts of [many, few]) testWindows.push(await openTestWindow(extension, scratch, counts));
    const [ours = [], reference = []] = await measureInTurns(testWindows);
    const ratio = (view: keyof Paint): number => median(ours, view) / median(reference, view);
    const medians = { ours: toMedians(ours), reference: toMedians(reference) };
    say(`first paint, in ms, medians of ${turnCount} reloads: ${JSON.stringify(medians)}`);
    return { transfers: ratio('transfers'), results: ratio('results') };
  } finally {
    for (const { service, editor } of testWindows) {
      await editor.close();
      await service.stop();
    }
  }
}

/**
 * Measures the windows alternately, and reverses their order in every other turn. The first turn fills the browser's
 * caches and isn't counted.
 */
async function measureInTurns(testWindows: readonly TestWindow[]): Promise<readonly (readonly Paint[])[]> {
  const paints = testWindows.map((): Paint[] => []);
  for (let turn = 0; turn <= turnCount; turn++) {
    const order = [...testWindows.entries()];
    if (turn % 2 === 1) order.reverse();
    for (const [index, { window }] of order) {
      const painted = await paint(window);
      if (turn > 0) paints[index]?.push(painted);
    }
  }
  return paints;
}

function median(paints: readonly Paint[], view: keyof Paint): number {
  return getMedian(paints.map((one) => one[view]));
}

function toMedians(paints: readonly Paint[]): Paint {
  return { transfers: median(paints, 'transfers'), results: median(paints, 'results') };
}

async function openTestWindow(
  extension: string,
  scratch: string,
  { transferCount, fileCount }: typeof few,
): Promise<TestWindow> {
  const folder = join(scratch, `files-${fileCount}`);
  makeTree(folder, fileCount);
  const service = await startLocalService({ databases: [{ name: 'Tree', folder }] }, { program: builtProgram });
  const settings = { 'dataTransfer.search.pageSize': 10_000 };
  const editor = await startEditor({
    ...savedConnection(service.address, service.token),
    extensionPath: extension,
    settings,
  });
  makeLedger(getLedgerIn(getEditorDataHome(editor.dataFolder)), transferCount);
  const window = await editor.openWindow();
  await window.openContainer('Data Transfer');
  await window.tree('Databases').see('Tree');
  await loadResults(window, fileCount);
  return { service, editor, window };
}

/** Reloads a window that shows another container, opens the views and waits for the first row of each. */
async function paint(window: EditorWindow): Promise<Paint> {
  await window.openContainer('Explorer');
  await window.reloadNow();
  const startedAt = performance.now();
  const getElapsed = async (row: Locator): Promise<number> => {
    await row.waitFor({ timeout: limitMs });
    return performance.now() - startedAt;
  };
  const rows = [findFirst(window, 'Transfers', '→'), findFirst(window, 'Search Results', '_sample_')];
  const [, ...painted] = await Promise.all([window.openContainer('Data Transfer'), ...rows.map(getElapsed)]);
  const [transfers = Number.NaN, results = Number.NaN] = painted;
  return { transfers, results };
}

/**
 * Returns the first row on screen that shows a transfer or a file. Skips top-level rows, such as groups and searches.
 */
function findFirst({ page }: EditorWindow, view: string, text: string): Locator {
  const pane = page.locator(`.pane:has(> .pane-header h3.title:text-is("${view}"))`);
  return pane.locator('.monaco-list-row:not([aria-level="1"])', { hasText: text }).first();
}
