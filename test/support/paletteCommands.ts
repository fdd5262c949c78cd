/** The commands that the palette lists, computed from the manifest as the editor does. */

/** The part of `package.json` that decides what the palette lists. */
export interface PaletteManifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly enablement?: string }[];
    readonly menus: { readonly commandPalette: readonly { readonly command: string; readonly when: string }[] };
  };
}

/** The terms of `when` clauses of which only one is true, because they describe the active editor. */
export const documentTerms = ['match', 'verification'].map((folder) => `resourceDirname == '/${folder}'`);

/**
 * Returns the IDs of the commands that the palette lists. `facts` has the terms of `when` clauses that are true, for
 * example `dataTransfer.connected`. Knows only `&&`, `||` and `!`;
 * a comparison is one term.
 */
export function listPaletteCommands(
  { contributes: { commands, menus } }: PaletteManifest,
  facts: ReadonlySet<string>,
): readonly string[] {
  const isTrue = (term: string): boolean => (term.startsWith('!') ? !facts.has(term.slice(1)) : facts.has(term));
  const holds = (when: string): boolean =>
    when.split(' || ').some((part) => part.split(' && ').every((term) => isTrue(term)));
  const conditions = new Map(menus.commandPalette.map(({ command, when }) => [command, when]));
  return commands
    .filter(({ command, enablement }) =>
      [conditions.get(command), enablement].every((when) => when === undefined || holds(when)),
    )
    .map(({ command }) => command);
}
