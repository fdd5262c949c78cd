import { basename } from 'node:path';
import { l10n, workspace, type Uri } from 'vscode';
import { parseUserData, type ParsedUserData, type UserDataReadResult } from '../../../core/userData/parseUserData.ts';
import { maxUserDataBytes } from '../../../core/userData/userData.ts';
import { runStepsInTurns } from '../../../core/util/steps.ts';
import { CommandFailure } from '../../editor/commandBoundary.ts';
import { formatSize } from '../../words/localeFormats.ts';
import { describeError, toPlainLine } from '../../words/plainText.ts';

/**
 * Reads a user data file. Throws a {@link CommandFailure} if the file can't be used, or the signal's reason if the
 * signal is aborted.
 */
export async function readUserDataFile(file: Uri, signal: AbortSignal): Promise<ParsedUserData> {
  const result = await runStepsInTurns(parseUserData(await readText(file)), signal);
  if (result.kind === 'parsed') return result;
  throw new CommandFailure(describeUnusable(getFileName(file), result));
}

/** Returns the name of a file, for use in messages. */
export function getFileName(file: Uri): string {
  return toPlainLine(basename(file.path));
}

async function readText(file: Uri): Promise<string> {
  const name = getFileName(file);
  try {
    const { size } = await workspace.fs.stat(file);
    if (size > maxUserDataBytes) throw new Error(l10n.t('the file is larger than {0}', formatSize(maxUserDataBytes)));
    return new TextDecoder().decode(await workspace.fs.readFile(file));
  } catch (error) {
    throw new CommandFailure(l10n.t('Could not read {0}: {1}', name, describeError(error)));
  }
}

function describeUnusable(name: string, result: Exclude<UserDataReadResult, ParsedUserData>): string {
  if (result.kind === 'broken')
    return l10n.t("{0} isn't valid JSON (line {1}, column {2}).", name, String(result.line), String(result.column));
  if (result.kind === 'later')
    return l10n.t('{0} was written by a later version of the extension. Update the extension on this machine.', name);
  return l10n.t('{0} wasn\'t created with "Export Data for Another Machine…".', name);
}
