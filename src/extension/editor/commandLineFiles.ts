import { chmod } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { EnvironmentVariableCollection } from 'vscode';
import type { Connection } from '../../core/model/connection.ts';
import { createFolder } from '../../core/util/createFolder.ts';
import { omit } from '../../core/util/json.ts';
import { writeFileAtomically } from '../../core/util/durableFiles.ts';

/** The paths that the command line needs. */
export interface CommandLinePaths {
  /** The folder for the launcher and the connections file. */
  readonly folder: string;
  /** The program `dist/cli/main.cjs`. */
  readonly program: string;
  readonly ledgerFolder: string;
}

/** The ORCID iD and the connections that the command line can use. */
export interface CommandLineConnections {
  readonly orcid: string;
  readonly connections: readonly Connection[];
  /** The connection to the local service, whose address and key are in `serviceFile` while the service is running. */
  readonly local: { readonly id: string; readonly name: string; readonly serviceFile: string };
}

const launcherName = 'data-transfer';

/**
 * Writes the command line's launchers for POSIX shells and Windows. The launchers run the program with the editor's own
 * Node.js. The launchers' paths stay the same when the editor or the extension is updated.
 */
export async function writeLaunchers(paths: CommandLinePaths): Promise<void> {
  await createFolder(paths.folder, 0o700);
  const launcher = join(paths.folder, launcherName);
  const variables = Object.entries(getVariables(paths));
  await writeFileAtomically(launcher, createShellLauncher(variables));
  await chmod(launcher, 0o700);
  await writeFileAtomically(`${launcher}.cmd`, createWindowsLauncher(variables));
}

interface TargetSystem {
  readonly platform: NodeJS.Platform;
  /** Path of the command interpreter on Windows (`%ComSpec%`); `cmd` if absent. */
  readonly shell?: string | undefined;
}

/**
 * Returns the command with which an agent starts the command line outside the editor's terminals. On Windows, the
 * command names the interpreter by its full path, because Windows also looks for a bare name in the agent's folder.
 * `/d` skips AutoRun commands in the registry, whose output would be mistaken for a response. `call` preserves the
 * quotes around the path and the arguments.
 */
export function getLauncherCommand(
  { folder }: Pick<CommandLinePaths, 'folder'>,
  { platform, shell = 'cmd' }: TargetSystem,
): readonly [string, ...string[]] {
  const launcher = join(folder, launcherName);
  return platform === 'win32' ? [shell, '/d', '/c', 'call', `${launcher}.cmd`] : [launcher];
}

/** Creates a shell script. Environment variables that are already set take precedence over `variables`. */
function createShellLauncher(variables: readonly (readonly [string, string])[]): string {
  const lines = variables.map(
    ([name, value]) => `[ "$${name}" ] || export ${name}='${value.replaceAll("'", `'\\''`)}'\n`,
  );
  return `#!/bin/sh\n${lines.join('')}ELECTRON_RUN_AS_NODE=1 exec "$DATA_TRANSFER_NODE" "$DATA_TRANSFER_CLI" "$@"\n`;
}

/** Creates a batch file with full paths, because Windows also looks for programs in the current folder. */
function createWindowsLauncher(variables: readonly (readonly [string, string])[]): string {
  const lines = variables.map(([name, value]) => `if not defined ${name} set "${name}=${value.replaceAll('%', '%%')}"`);
  const start = [
    '@echo off',
    'setlocal DisableDelayedExpansion',
    'set ELECTRON_RUN_AS_NODE=1',
    'if not defined DATA_TRANSFER_NODE "%SystemRoot%\\System32\\chcp.com" 65001 >nul',
  ];
  return [...start, ...lines, '"%DATA_TRANSFER_NODE%" "%DATA_TRANSFER_CLI%" %*', ''].join('\r\n');
}

/** Writes the connections to a file, with the names of the environment variables for the keys, not the keys. */
export async function writeConnections(
  { folder }: CommandLinePaths,
  { orcid, connections, local }: CommandLineConnections,
): Promise<void> {
  await createFolder(folder, 0o700);
  const entries = [...connections.map((connection) => omit(connection, 'transport')), local];
  const content = { ...(orcid !== '' && { orcid }), connections: entries };
  await writeFileAtomically(getConnectionsFile(folder), `${JSON.stringify(content, undefined, 2)}\n`);
}

/** Sets variables of new terminals, so that `data-transfer` uses this window's transfers and connections. */
export function setTerminalVariables(
  variables: Pick<EnvironmentVariableCollection, 'prepend' | 'replace'>,
  paths: CommandLinePaths,
): void {
  variables.prepend('PATH', `${paths.folder}${delimiter}`);
  for (const [name, value] of Object.entries(getVariables(paths))) variables.replace(name, value);
}

function getVariables({ folder, program, ledgerFolder }: CommandLinePaths): Readonly<Record<string, string>> {
  return {
    DATA_TRANSFER_NODE: process.execPath,
    DATA_TRANSFER_CLI: program,
    DATA_TRANSFER_LEDGER: ledgerFolder,
    DATA_TRANSFER_CONNECTIONS: getConnectionsFile(folder),
  };
}

function getConnectionsFile(folder: string): string {
  return join(folder, 'connections.json');
}
