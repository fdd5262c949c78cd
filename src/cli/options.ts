import { InvalidArgumentError, Option, type Command } from 'commander';
import { parseJsonObject, type JsonObject } from '../core/util/json.ts';
import { isKeyText } from '../core/util/secrets.ts';

/** The options that all commands share. */
export interface GlobalOptions {
  readonly server?: string;
  readonly orcid?: string;
  readonly keyVariable?: string;
  readonly keyFile?: string;
  readonly keyStdin?: boolean;
  readonly connections?: string;
  readonly connection?: string;
  readonly ledger?: string;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

const globalOptions: readonly (readonly [flags: string, description: string])[] = [
  ['--json', 'print one JSON document to standard output'],
  ['--server <address>', 'the address of the service'],
  ['--orcid <id>', 'your ORCID iD'],
  ['--key-variable <name>', 'the environment variable that contains the API key'],
  ['--key-file <file>', 'the file that contains the API key'],
  ['--key-stdin', 'read the API key from standard input'],
  ['--connections <file>', 'the file with connections (default: DATA_TRANSFER_CONNECTIONS)'],
  ['--connection <name>', 'the name or ID of a connection in that file'],
  [
    '--ledger <folder>',
    'the folder with the transfer records (default: DATA_TRANSFER_LEDGER, otherwise the folder that the editor uses)',
  ],
  ['--verbose', 'print log messages to standard error'],
];

/** Adds the options that all commands share. */
export function addGlobalOptions(program: Command): void {
  for (const [flags, description] of globalOptions) program.addOption(new Option(flags, description));
}

/** Parses a positive integer of at most 15 digits. Throws InvalidArgumentError for any other value. */
export function parseCount(value: string): number {
  const count = /^\d{1,15}$/.test(value) ? Number(value) : 0;
  if (count < 1) throw new InvalidArgumentError('It must be a whole number of at least 1.');
  return count;
}

/** Parses an option's value as a JSON object. Throws InvalidArgumentError for any other value. */
export function parseJsonOption(value: string): JsonObject {
  const object = parseJsonObject(value);
  if (!object) throw new InvalidArgumentError('It must be a JSON object.');
  return object;
}

const keyOption = /^--?(?:api-?)?(?:key|token|secret|password)(?:=|$)/i;
const addressPassword = /^[a-z][a-z\d+.-]*:\/\/[^/@]+@/i;
const keyAdvice = 'Use --key-variable, --key-file or --key-stdin.';

/**
 * Returns an error message if an argument may contain an API key or a password; otherwise, undefined. Other processes
 * can read arguments, and shells store them in the history. The message doesn't contain the argument.
 */
export function findKeyArgument(args: readonly string[]): string | undefined {
  for (const [index, arg] of args.entries()) {
    const problem = describeProblem(arg, args[index - 1]);
    if (problem !== undefined) return `${problem} ${keyAdvice}`;
  }
  return undefined;
}

function describeProblem(arg: string, before: string | undefined): string | undefined {
  const value = arg.replace(/^--[\w-]+=/, '');
  if (keyOption.test(arg)) return "API keys aren't accepted as arguments, because other programs can read them.";
  if (isKeyText(value)) return "An argument looks like an API key. Keys aren't accepted as arguments.";
  if (addressPassword.test(value))
    return "An address contains a user name or password. User names and passwords aren't accepted in arguments.";
  const variable = before === '--key-variable' ? arg : /^--key-variable=(.*)$/s.exec(arg)?.[1];
  if (variable === undefined || /^[A-Za-z_]\w*$/.test(variable)) return undefined;
  return "The value of --key-variable isn't the name of an environment variable.";
}

/** The descriptions of arguments and options that several commands have. */
export const optionTexts = {
  transferId: 'its ID, or a unique prefix of it',
  transferIds: 'IDs, or unique prefixes of them',
  timeout: 'with --wait, the maximum time to wait',
  database: 'the name or ID of the database',
  fileIds: 'the IDs of the files',
  folder: 'the destination folder, or the folder with the transferred files',
  again: 'transfer files even if another transfer is copying them to the same destination',
  then: 'what the local service starts once after the transfer: a job script (*.sbatch, *.slurm), or a program',
  wait: 'wait until the transfer, and a program that follows it, has ended',
} as const;
