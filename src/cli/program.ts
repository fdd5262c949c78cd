import { Command, CommanderError } from 'commander';
import { findNearestName } from '../core/recipes/nearestName.ts';
import { askAboutName } from './text/sentences.ts';
import { exitCode } from './cliError.ts';
import { addCancelCommand } from './commands/cancelCommand.ts';
import { addCiteCommand } from './commands/citeCommand.ts';
import { addCompareCommand, addRunCommand } from './commands/recipeCommands.ts';
import { addDatabasesCommand } from './commands/databasesCommand.ts';
import { addDescribeCommand } from './commands/describeCommand.ts';
import { addExportCommand } from './commands/exportCommand.ts';
import { addHistoryCommand } from './commands/historyCommand.ts';
import { addPauseCommand, addResumeCommand } from './commands/pauseCommands.ts';
import { addMcpCommand, addPlansCommand } from './commands/agentCommands.ts';
import { addScanCommand } from './commands/scanCommand.ts';
import { addSearchCommand } from './commands/searchCommand.ts';
import { addServiceCommand } from './commands/serviceCommand.ts';
import { addStatusCommand } from './commands/statusCommand.ts';
import { addTransferCommand } from './commands/transferCommand.ts';
import { addVerifyCommand } from './commands/verifyCommand.ts';
import { addWaitCommand } from './commands/waitCommand.ts';
import { addGlobalOptions, findKeyArgument } from './options.ts';
import { cliVersion } from './version.ts';

/** The functions that add the commands, in the order in which the help lists the commands. */
const commands: Readonly<Record<string, (program: Command) => void>> = {
  databases: addDatabasesCommand,
  scan: addScanCommand,
  search: addSearchCommand,
  describe: addDescribeCommand,
  transfer: addTransferCommand,
  status: addStatusCommand,
  wait: addWaitCommand,
  cancel: addCancelCommand,
  pause: addPauseCommand,
  resume: addResumeCommand,
  history: addHistoryCommand,
  verify: addVerifyCommand,
  cite: addCiteCommand,
  export: addExportCommand,
  run: addRunCommand,
  compare: addCompareCommand,
  service: addServiceCommand,
  mcp: addMcpCommand,
  plans: addPlansCommand,
};

/** Runs the command line with these arguments and sets the process's exit code. */
export async function runProgram(args: readonly string[]): Promise<void> {
  const refusal = findKeyArgument(args);
  if (refusal !== undefined) {
    process.stderr.write(`${refusal}\n`);
    process.exitCode = exitCode.usage;
    return;
  }
  try {
    await createProgram(args[0]).parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? exitCode.done : exitCode.usage;
  }
}

const examples = `
Examples:
  $ data-transfer databases --server https://dts.example.org \\
      --orcid 0000-0002-1825-0097 --key-variable LAB_KEY
  $ data-transfer search "Lab Share" csv --connections lab.json
  $ data-transfer run reads.transfer.json --dry-run --connections lab.json

Exit codes: 0 done, 1 failed, 2 wrong arguments, 3 no connection or key refused,
4 not found, 5 differs from the lock, 6 cancel ignored by the service,
130 interrupted`;

/** Returns a command's name and arguments, as shown in the list of commands. */
function getTerm(command: Command): string {
  return `${command.name()} ${command.usage()}`.replace(' [options]', '');
}

/** Creates the program with all commands or, if `name` is a command's name, with only that one. */
function createProgram(name = ''): Command {
  const program = new Command('data-transfer');
  program.description('Searches and transfers files of a data transfer service.');
  program.version(cliVersion, '-V, --version', 'print the version');
  program.helpOption('-h, --help', 'print the help');
  program
    .configureHelp({ showGlobalOptions: true, minWidthToWrap: 10, subcommandTerm: getTerm })
    .exitOverride()
    .showHelpAfterError('(--help lists all options)');
  program.addHelpText('after', examples);
  addGlobalOptions(program);
  const named = Object.hasOwn(commands, name) ? commands[name] : undefined;
  for (const add of named ? [named] : Object.values(commands)) add(program);
  for (const one of [program, ...program.commands]) if (one.commands.length > 0) addHelpCommand(one);
  return program;
}

/**
 * Adds `help`, which prints help for a command or a subcommand. Reports an unknown command as an error; Commander's own
 * `help` would print the general help instead.
 */
function addHelpCommand(parent: Command): void {
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
  return `error: unknown command '${name}'${nearest === undefined ? '' : `\n(${askAboutName(nearest)})`}`;
}
