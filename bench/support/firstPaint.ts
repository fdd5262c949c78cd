import { join } from 'node:path';
import { savedConnection, startEditor, type Editor } from '../../test/support/editor/editor.ts';
import type { EditorWindow } from '../../test/support/editor/window.ts';
import { builtProgram, startLocalService, type StartedService } from '../../test/support/localService.ts';
import { getStorageFolder } from '../../test/support/version01.ts';
import { makeLedger } from './ledgers.ts';
import { medianOf } from './rounds.ts';
import { makeTree } from './tree.ts';

const few = { transferCount: 10, fileCount: 10 };
const many = { transferCount: 3_000, fileCount: 50_000 };
const turnCount = 7;

/** Milliseconds from the click on the icon of the side bar to the first row of each view. */
interface Paint {
  readonly transfers: number;
  readonly results: number;
}

/** An editor of somebody with so many ended transfers and results, and a window of it. */
interface Desk {
  readonly service: StartedService;
  readonly editor: Editor;
  readonly window: EditorWindow;
}

/** Compares the first paint of views with 3,000 ended transfers and 50,000 results with that of ten each. */
export async function measureFirstPaint(extension: string, scratch: string): Promise<Paint> {
  const desks = [await openDesk(extension, scratch, many), await openDesk(extension, scratch, few)] as const;
  try {
    const paints = { ours: [] as Paint[], reference: [] as Paint[] };
    // The first turn fills the caches of the browser.
    for (let turn = 0; turn <= turnCount; turn++) {
      const ours = await paint(desks[0]);
      const reference = await paint(desks[1]);
      if (turn === 0) continue;
      paints.ours.push(ours);
      paints.reference.push(reference);
    }
    const of = (view: keyof Paint): number => median(paints.ours, view) / median(paints.reference, view);
    return { transfers: of('transfers'), results: of('results') };
  } finally {
    for (const desk of desks) await closeDesk(desk);
  }
}

function median(paints: readonly Paint[], view: keyof Paint): number {
  return medianOf(paints.map((one) => one[view]));
}

async function openDesk(extension: string, scratch: string, counts: typeof few): Promise<Desk> {
  const folder = join(scratch, `files-${counts.fileCount}`);
  makeTree(folder, counts.fileCount);
  const service = await startLocalService({ databases: [{ name: 'Tree', folder }] }, { program: builtProgram });
  const editor = await startEditor({
    ...savedConnection(service.address, service.token),
    extensionPath: extension,
    settings: { 'dataTransfer.search.pageSize': 10_000 },
  });
  makeLedger(join(getStorageFolder(editor.dataFolder), 'transfers'), counts.transferCount);
  const window = await editor.openWindow();
  await search(window, counts.fileCount);
  return { service, editor, window };
}

async function search(window: EditorWindow, fileCount: number): Promise<void> {
  await window.openContainer('Data Transfer');
  await (await window.tree('Databases').row('Tree')).action('Search Files…');
  await window.input('sample', /leave empty to list all files/);
  const found = async (count: number): Promise<void> => {
    const text = count.toLocaleString('en');
    const isSo = (rows: readonly { description: string }[]): boolean => rows[0]?.description.includes(text) ?? false;
    await window.tree('Search Results').waitFor(`${text} files`, isSo, 120_000);
  };
  await found(Math.min(fileCount, 10_000));
  if (fileCount <= 10_000) return;
  await window.command('Data Transfer: Load All');
  await window.notifications.press('50,000 files loaded', 'Keep Loading');
  await found(fileCount);
}

/** Loads the window again with another view in the side bar, and then opens the views. */
async function paint({ window }: Desk): Promise<Paint> {
  await window.openContainer('Explorer');
  await window.reloadNow();
  const startedAt = performance.now();
  const [transfers, results] = [firstRow(window, 'Transfers', 'succeeded'), firstRow(window, 'Search Results', '.')];
  await window.page.locator('.activitybar .action-item > .action-label[aria-label^="Data Transfer"]').first().click();
  const timed = [transfers, results].map(async (row) => {
    await row;
    return performance.now() - startedAt;
  });
  const [transfersMs = Number.NaN, resultsMs = Number.NaN] = await Promise.all(timed);
  return { transfers: transfersMs, results: resultsMs };
}

/** Waits for the first row below a group or a search. */
async function firstRow(window: EditorWindow, view: string, text: string): Promise<void> {
  const pane = window.page.locator(`.pane:has(> .pane-header h3.title:text-is("${view}"))`);
  await pane.locator('.monaco-list-row[aria-level="2"]', { hasText: text }).first().waitFor({ timeout: 120_000 });
}

async function closeDesk({ service, editor }: Desk): Promise<void> {
  await editor.close();
  await service.stop();
}
