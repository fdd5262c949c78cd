import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import type { ArgumentKind } from '../../src/extension/editor/contributions.ts';

/** An entry of `contributes.commands` in `package.json`. */
export interface CommandContribution {
  readonly command: string;
  readonly title: string;
  readonly category: string;
  readonly icon?: string;
  readonly enablement?: string;
}

/** A command as its feature declares it. */
interface DeclaredCommand {
  readonly takes?: readonly ArgumentKind[];
  readonly icon?: string;
  readonly enablement?: string;
}

const root = join(import.meta.dirname, '..', '..');

/** Returns the tables of commands of all features. Loads the extension with an editor that does nothing. */
export async function readTables(): Promise<readonly Readonly<Record<string, DeclaredCommand>>[]> {
  const hooks = registerHooks({
    resolve: (name, context, next) =>
      name === 'vscode' ? { url: 'stub:vscode', format: 'module', shortCircuit: true } : next(name, context),
    load: (url, context, next) =>
      url === 'stub:vscode' ? { source: createEditorStub(), format: 'module', shortCircuit: true } : next(url, context),
  });
  try {
    return Object.values((await import('../../src/extension/startup.ts')).commandTables);
  } finally {
    hooks.deregister();
  }
}

/** Returns the commands of all features by their IDs. */
export async function readCommands(): Promise<ReadonlyMap<string, DeclaredCommand>> {
  return new Map((await readTables()).flatMap((table) => Object.entries(table)));
}

/** Returns a module whose exports have the names of the editor's, and can be called, constructed and extended. */
function createEditorStub(): string {
  const types = readFileSync(join(root, 'node_modules', '@types', 'vscode', 'index.d.ts'), 'utf8');
  const names = [...types.matchAll(/^\texport (?:abstract )?(?:class|enum|namespace|const) (\w+)/gm)].map(
    ([, name]) => name,
  );
  const stub = 'new Proxy(class {}, { get: (own, name) => own[name] ?? stub, apply: () => stub })';
  return `const stub = ${stub};\n${[...new Set(names)].map((name) => `export const ${name} = stub;`).join('\n')}`;
}

/** Returns `contributes.commands`, generated from the tables of the features. */
export async function createCommandContributions(): Promise<readonly CommandContribution[]> {
  return [...(await readCommands())].map(([command, { icon, enablement }]) => ({
    command,
    title: `%command.${command.replace('dataTransfer.', '')}%`,
    category: '%category%',
    ...(icon !== undefined && { icon: `$(${icon})` }),
    ...(enablement !== undefined && { enablement }),
  }));
}
