import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { savedConnection, startEditor } from '../../test/support/editor/editor.ts';
import { until } from '../../test/support/editor/until.ts';
import type { EditorWindow } from '../../test/support/editor/window.ts';
import { builtProgram, startLocalService } from '../../test/support/localService.ts';
import { waitForScans } from '../../test/support/waitForScans.ts';
import { fixtures } from './packedExtension.ts';
import { measureRatio } from './rounds.ts';
import { makeTree } from './tree.ts';
import { WalkedTree } from './walkedTree.ts';

const fileCount = 50_000;
const pageSize = 10_000;
const heapReadings = 3;

/** The ratios to the cost of the bare tree. */
interface Ratios {
  readonly walk: number;
  readonly memory: number;
  readonly page: number;
}

/** Compares the tree of 50,000 results of a real service with a bare tree of the same rows, in one window. */
export async function measureResults(extension: string, scratch: string): Promise<Ratios> {
  const folder = join(scratch, 'tree');
  const output = join(scratch, 'memory');
  mkdirSync(output);
  makeTree(folder, fileCount);
  const service = await startLocalService({ databases: [{ name: 'Tree', folder }] }, { program: builtProgram });
  await waitForScans(service);
  const bench = { BENCH_ADDRESS: service.address, BENCH_TOKEN: service.token, BENCH_OUTPUT: output };
  const connection = savedConnection(service.address, service.token);
  const editor = await startEditor({
    ...connection,
    needsFullBrowser: true,
    extensionPath: extension,
    companions: [join(fixtures, 'bare')],
    environment: { ...connection.environment, ...bench },
    settings: { 'dataTransfer.search.pageSize': pageSize },
  });
  try {
    const window = await editor.openWindow();
    // Makes every expanded part fit on the first screen.
    await window.page.setViewportSize({ width: 1280, height: 1800 });
    await window.openContainer('Data Transfer');
    await window.tree('Databases').see('Tree');
    const before = await readHeapSize(window, output);
    await loadResults(window, fileCount);
    const withOurs = await readHeapSize(window, output);
    await loadBare(window);
    const withBoth = await readHeapSize(window, output);
    return { memory: (withOurs - before) / (withBoth - withOurs), ...(await measureTrees(window)) };
  } finally {
    await editor.close();
    await service.stop();
  }
}

async function measureTrees(window: EditorWindow): Promise<Omit<Ratios, 'memory'>> {
  const trees = [new WalkedTree(window, 'Search Results'), new WalkedTree(window, 'Bare Rows')] as const;
  const places = ['Data Transfer', 'Bench'] as const;
  for (const [index, tree] of trees.entries()) {
    await window.openContainer(places[index] ?? '');
    await tree.begin();
  }
  const within = async (index: 0 | 1, measure: (tree: WalkedTree) => Promise<number>): Promise<number> => {
    await window.openContainer(places[index]);
    return await measure(trees[index]);
  };
  const measureTree = async (measure: (tree: WalkedTree) => Promise<number>): Promise<number> =>
    await measureRatio({
      ours: async () => await within(0, measure),
      reference: async () => await within(1, measure),
      turns: 2,
    });
  return { walk: await measureTree((tree) => tree.walk()), page: await measureTree((tree) => tree.openPage()) };
}

/** Searches the database `Tree` and loads `count` results: up to ten thousand with the search, then the others. */
export async function loadResults(window: EditorWindow, count: number): Promise<void> {
  await window.command('Data Transfer: Search Files with Filters…');
  await window.quickInput.pick('Tree', /1\/3/);
  await window.quickInput.input('sample', /2\/3/);
  await window.quickInput.pick('Search', /3\/3/);
  await waitForResults(window, Math.min(count, pageSize));
  if (count <= pageSize) return;
  await (await window.tree('Search Results').row('“sample”')).menu('Load All');
  await window.notifications.answer('Keep Loading');
  await window.statusBar('All results are loaded: 50,000 files', 120_000);
  await waitForResults(window, count);
  await window.notifications.clear();
}

async function waitForResults(window: EditorWindow, count: number): Promise<void> {
  const text = count.toLocaleString('en-US');
  await window
    .tree('Search Results')
    .waitFor(`${text} files`, (rows) => rows[0]?.description.includes(text) ?? false, 120_000);
}

async function loadBare(window: EditorWindow): Promise<void> {
  await window.openContainer('Bench');
  await window.command('Bench: Make Rows');
  await window.tree('Bare Rows').waitFor('rows', (rows) => rows.length > 2, 60_000);
}

/** Resolves to the smallest of several readings of the heap size, because pending work uses memory temporarily. */
async function readHeapSize(window: EditorWindow, output: string): Promise<number> {
  let smallest = Number.POSITIVE_INFINITY;
  for (let reading = 0; reading < heapReadings; reading++)
    smallest = Math.min(smallest, await readHeapSizeNow(window, output));
  return smallest;
}

/** Resolves to the size of the extension host's heap after a garbage collection, in bytes. */
async function readHeapSizeNow(window: EditorWindow, output: string): Promise<number> {
  const file = join(output, `${readdirSync(output).length}.txt`);
  await window.command('Bench: Measure Memory');
  return await until('a measure of memory', async () => await Promise.resolve(readNumber(file)));
}

function readNumber(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}
