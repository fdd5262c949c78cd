/**
 * Watches every folder of a tree in a new process. Sends to the parent process whether every folder is watched, and the
 * increase in memory in bytes.
 */
import * as fs from 'node:fs';
import { systemClock } from '../../src/core/util/clock.ts';
import { getMaxWatches, TreeWatcher } from '../../src/service/catalog/folderChanges.ts';

const [root = ''] = process.argv.slice(2);

function listFolders(folder: string): string[] {
  const entries = fs.readdirSync(`${root}/${folder}`, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const inside = entries.map(({ name }) => (folder === '' ? name : `${folder}/${name}`));
  return [folder, ...inside.flatMap(listFolders)];
}

const folders = new Set(listFolders(''));
const watcher = new TreeWatcher({ root, clock: systemClock, maxFolders: getMaxWatches(), onChange: () => undefined });
globalThis.gc?.();
const startBytes = process.memoryUsage.rss();
const watched = watcher.watchBelow('', folders);
globalThis.gc?.();
process.send?.([watched === folders.size, process.memoryUsage.rss() - startBytes]);
watcher.dispose();
process.disconnect();
