import { commandIds, getCommandDeclaration } from '../../src/extension/editor/contributions.ts';

/** An entry of `contributes.commands` in `package.json`. */
export interface CommandContribution {
  readonly command: string;
  readonly title: string;
  readonly category: string;
  readonly icon?: string;
  readonly enablement?: string;
}

/** Returns `contributes.commands`, generated from the command table. */
export function createCommandContributions(): readonly CommandContribution[] {
  return commandIds.map((command) => {
    const { icon, enablement } = getCommandDeclaration(command);
    return {
      command,
      title: `%command.${command.replace('dataTransfer.', '')}%`,
      category: '%category%',
      ...(icon !== undefined && { icon: `$(${icon})` }),
      ...(enablement !== undefined && { enablement }),
    };
  });
}
