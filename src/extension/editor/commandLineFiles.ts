import { chmod, mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { EnvironmentVariableCollection } from 'vscode';
import type { Connection } from '../../core/model/connection.ts';
import { omit } from '../../core/util/omit.ts';
import { writeFileAtomically } from '../../core/util/writeFileAtomically.ts';

/** The paths that the command line needs in terminals. */
interface CommandLinePlaces {
  /** The folder for the launcher and the connections file. */
  readonly folder: string;
  /** The program `dist/cli/main.cjs`. */
  readonly program: string;
  readonly ledgerFolder: string;
}

/** The connections of this window, as the command line reads them. */
export interface CommandLineConnections {
  readonly orcid: string;
  readonly connections: readonly Connection[];
  /** The connection to the local service, whose address and key are in `serviceFile` while it runs. */
  readonly local: { readonly id: string; readonly name: string; readonly serviceFile: string };
}

const launcherName = 'data-transfer';

/** Runs the program with the editor's own Node.js; the paths are in variables, so that nothing needs quoting. */
const shellLauncher = `#!/bin/sh
ELECTRON_RUN_AS_NODE=1 exec "$DATA_TRANSFER_NODE" "$DATA_TRANSFER_CLI" "$@"
`;
const windowsLauncher = `@echo off\r
setlocal\r
set ELECTRON_RUN_AS_NODE=1\r
"%DATA_TRANSFER_NODE%" "%DATA_TRANSFER_CLI%" %*\r
`;

/** Writes the launchers of the command line, for POSIX shells and for Windows. */
export async function writeLaunchers({ folder }: CommandLinePlaces): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const launcher = join(folder, launcherName);
  await writeFileAtomically(launcher, shellLauncher);
  await chmod(launcher, 0o700);
  await writeFileAtomically(`${launcher}.cmd`, windowsLauncher);
}

/** Writes the connections without their keys: only the names of variables are in the file. */
export async function writeConnections(
  { folder }: CommandLinePlaces,
  { orcid, connections, local }: CommandLineConnections,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const entries = [...connections.map((connection) => omit(connection, 'transport')), local];
  const content = { ...(orcid !== '' && { orcid }), connections: entries };
  await writeFileAtomically(getConnectionsFile(folder), `${JSON.stringify(content, undefined, 2)}\n`);
}

/** Sets the variables of new terminals, so that `data-transfer` uses the transfers and connections of this window. */
export function setTerminalVariables(
  variables: Pick<EnvironmentVariableCollection, 'prepend' | 'replace'>,
  { folder, program, ledgerFolder }: CommandLinePlaces,
): void {
  variables.prepend('PATH', `${folder}${delimiter}`);
  variables.replace('DATA_TRANSFER_NODE', process.execPath);
  variables.replace('DATA_TRANSFER_CLI', program);
  variables.replace('DATA_TRANSFER_LEDGER', ledgerFolder);
  variables.replace('DATA_TRANSFER_CONNECTIONS', getConnectionsFile(folder));
}

function getConnectionsFile(folder: string): string {
  return join(folder, 'connections.json');
}
