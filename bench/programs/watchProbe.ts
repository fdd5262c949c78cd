/** Watches every folder of a tree, in a process that has done nothing else, and tells how far its memory went up. */
import * as fs from 'node:fs';
import { systemClock } from '../../src/core/util/clock.ts';
import { getMaxWatches } from '../../src/service/catalog/folderState.ts';
import { TreeWatcher } from '../../src/service/catalog/treeWatcher.ts';

const [root = ''] = process.argv.slice(2);

function foldersBelow(folder: string): string[] {
  const entries = fs.readdirSync(`${root}/${folder}`, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const inside = entries.map(({ name }) => (folder === '' ? name : `${folder}/${name}`));
  return [folder, ...inside.flatMap(foldersBelow)];
}

const folders = new Set(foldersBelow(''));
const watcher = new TreeWatcher({ root, clock: systemClock, maxFolders: getMaxWatches(), onChange: () => undefined });
globalThis.gc?.();
const startBytes = process.memoryUsage.rss();
const watched = watcher.watchBelow('', folders);
globalThis.gc?.();
process.send?.([watched === folders.size, process.memoryUsage.rss() - startBytes]);
watcher.dispose();
process.disconnect();
