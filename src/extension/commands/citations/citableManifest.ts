import { l10n, workspace, type Uri } from 'vscode';
import { isJsonObject, type JsonObject } from '../../../core/util/json.ts';
import { readJsonObject } from '../../../core/util/jsonObject.ts';
import { CommandFailure } from '../../editor/commandBoundary.ts';
import { describeError, toPlainLine } from '../../words/plainText.ts';
import type { CitedFiles } from './citedFiles.ts';

/** Maximum size of a manifest, in bytes. Parsing a larger manifest would block the process for seconds. */
const maxBytes = 64 * 1024 * 1024;

/**
 * Reads a manifest's list of files and, if stated, the day on which the manifest was created. Throws a {@link
 * CommandFailure} if the manifest can't be read, is too large or lists no files.
 */
export async function readCitableManifest(file: Uri): Promise<CitedFiles> {
  const json = readJsonObject(await readText(file));
  const content: JsonObject = json.kind === 'object' ? json.value : {};
  const resources: readonly unknown[] = Array.isArray(content['resources']) ? content['resources'] : [];
  const files = resources.filter(isJsonObject).map((resource) => ({ name: getName(resource), resource }));
  if (files.length === 0) throw new CommandFailure(l10n.t('{0} lists no files.', toPlainLine(file.path)));
  const { created } = content;
  const day = typeof created === 'string' ? /^\d{4}-\d{2}-\d{2}/.exec(created)?.[0] : undefined;
  const receipt = { fileCount: files.length, isSeen: false, ...(day !== undefined && { day }) };
  return { files, services: [], receipt };
}

function getName({ path, name, id }: JsonObject): string {
  const written = [path, name, id].find((value) => typeof value === 'string' && value !== '');
  return typeof written === 'string' ? (written.split('/').at(-1) ?? written) : '';
}

async function readText(file: Uri): Promise<string> {
  try {
    const { size } = await workspace.fs.stat(file);
    if (size > maxBytes) throw new CommandFailure(l10n.t('{0} is too large.', toPlainLine(file.path)));
    return new TextDecoder().decode(await workspace.fs.readFile(file));
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(l10n.t('Could not read {0}: {1}', toPlainLine(file.path), describeError(error)));
  }
}
