import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const ran = new Set<string>();

/** Returns the IDs of the extension's commands that ran in editors that have been closed. */
export function commandsRun(): ReadonlySet<string> {
  return ran;
}

/** Records the commands that ran in an editor, which are listed in the extension's log in the editor's data folder. */
export async function rememberCommands(dataFolder: string): Promise<void> {
  for await (const file of glob('data/logs/**/Data Transfer*.log', { cwd: dataFolder })) {
    const log = await readFile(join(dataFolder, file), 'utf8');
    for (const [, id = ''] of log.matchAll(/\[debug\] (dataTransfer\.\w+) started$/gm)) ran.add(id);
  }
}
