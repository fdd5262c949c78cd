import { Option, type Command } from 'commander';

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

const options: readonly (readonly [flags: string, description: string])[] = [
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
  for (const [flags, description] of options) program.addOption(new Option(flags, description));
}
