/** Writes the commands in `package.json` from the command table. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createCommandContributions } from './commands.ts';

const file = join(import.meta.dirname, '..', '..', 'package.json');
const manifest = JSON.parse(await readFile(file, 'utf8')) as { readonly contributes: { commands: unknown } };
manifest.contributes.commands = createCommandContributions();
await writeFile(file, `${JSON.stringify(manifest, undefined, 2)}\n`);
