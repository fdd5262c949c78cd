import type { Command } from 'commander';
import { findNearestName } from '../core/recipes/nearestName.ts';

/**
 * Adds `help`, which prints help for a command or a subcommand. Reports an unknown command as an error; Commander's own
 * `help` would print the general help instead.
 */
export function addHelpCommand(parent: Command): void {
  parent.helpCommand(false);
  parent
    .command('help')
    .description('print help for a command')
    .argument('[command...]')
    .helpOption(false)
    .action((names: readonly string[]) => printHelp(parent, names));
}

function printHelp(parent: Command, [name, ...others]: readonly string[]): void {
  if (name === undefined) parent.help();
  const named = parent.commands.find((command) => command.name() === name);
  if (named) printHelp(named, others);
  else parent.error(describeUnknown(parent, name));
}

function describeUnknown(parent: Command, name: string): string {
  const nearest = findNearestName(
    name,
    parent.commands.map((command) => command.name()),
  );
  return `error: unknown command '${name}'${nearest === undefined ? '' : `\n(Did you mean ${nearest}?)`}`;
}
