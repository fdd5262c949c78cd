import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const ran = new Set<string>();

/** The commands of the extension that have run to their end in the editors which were closed so far. */
export function commandsRun(): ReadonlySet<string> {
  return ran;
}

/** Takes from the extension's own log in an editor's data folder which commands ran there. */
export async function rememberCommands(dataFolder: string): Promise<void> {
  for await (const file of glob('data/logs/**/Data Transfer*.log', { cwd: dataFolder })) {
    const log = await readFile(join(dataFolder, file), 'utf8');
    for (const [, id = ''] of log.matchAll(/\[debug\] (dataTransfer\.\w+) took \d+ ms/g)) ran.add(id);
  }
}
