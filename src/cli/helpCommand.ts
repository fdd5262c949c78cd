import type { Command } from 'commander';
import { findNearestName } from '../core/recipes/nearestName.ts';

/**
 * Adds `help`, which prints help for a command. Reports an unknown command as an error, whereas Commander's own
 * `help` prints the general help.
 */
export function addHelpCommand(parent: Command): void {
  parent.helpCommand(false);
  parent
    .command('help')
    .description('print help for a command')
    .argument('[command]')
    .helpOption(false)
    .action((name?: string) => printHelp(parent, name));
}

function printHelp(parent: Command, name: string | undefined): void {
  const named = name === undefined ? parent : parent.commands.find((command) => command.name() === name);
  if (named) named.help();
  else parent.error(describeUnknown(parent, name ?? ''));
}

function describeUnknown(parent: Command, name: string): string {
  const nearest = findNearestName(
    name,
    parent.commands.map((command) => command.name()),
  );
  return `error: unknown command '${name}'${nearest === undefined ? '' : `\n(Did you mean ${nearest}?)`}`;
}
