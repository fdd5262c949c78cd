/** Updates the commands and the agent tools in `package.json`, and writes the JSON schema of recipes. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { createToolContributions, createToolSetContributions } from './agentTools.ts';
import { createCommandContributions } from './commands.ts';
import { createRecipeSchema } from './recipeSchema.ts';

const root = join(import.meta.dirname, '..', '..');
const file = join(root, 'package.json');
const manifest = JSON.parse(await readFile(file, 'utf8')) as { readonly contributes: Record<string, unknown> };
manifest.contributes['commands'] = await createCommandContributions();
manifest.contributes['languageModelTools'] = createToolContributions();
manifest.contributes['languageModelToolSets'] = createToolSetContributions();
await writeFile(file, `${JSON.stringify(manifest, undefined, 2)}\n`);
const schemaFile = join(root, 'schemas', 'recipe.schema.json');
const options = await resolveConfig(schemaFile);
await writeFile(schemaFile, await format(JSON.stringify(createRecipeSchema()), { ...options, filepath: schemaFile }));
