import { basename, dirname, resolve } from 'node:path';
import { isLoopback } from '../../core/model/connection.ts';
import { localLinkService } from '../../core/model/link.ts';
import { maxRecipeBytes, parseRecipe } from '../../core/recipes/parseRecipe.ts';
import { readLock, type LockReadResult } from '../../core/recipes/recipeLock.ts';
import type { RecipeProblem } from '../../core/recipes/recipeProblem.ts';
import type { Recipe } from '../../core/recipes/recipeSchema.ts';
import type { RecipeText } from '../../core/recipes/recipeText.ts';
import { getErrorCode } from '../../core/util/errorFacts.ts';
import { readRegularFile } from '../../core/util/regularFile.ts';
import { describeRecipeProblem as describeProblem } from '../../core/words/recipeSentences.ts';
import { CliError, createUsageError } from '../cliError.ts';
import {
  chooseConnection,
  findByAddress,
  toAddress,
  toShownAddress,
  type ConnectionsFile,
  type FileConnection,
} from '../connections/connectionsFile.ts';
import type { GlobalOptions } from '../options.ts';
import { toPlainCell } from '../text/terminalText.ts';
import { clauses } from '../text/sentences.ts';
import { describeUnusualLock } from './planText.ts';

const extension = '.transfer.json';

/** A recipe and its lock, as read from their files. */
export interface RecipeInput {
  /** The path as the user wrote it. */
  readonly file: string;
  readonly path: string;
  readonly name: string;
  readonly folder: string;
  readonly recipe: Recipe;
  readonly text: RecipeText;
  readonly lock: LockReadResult;
}

/**
 * Reads a recipe and its lock. If the recipe is invalid, throws a usage error that lists the problems with their line
 * numbers. Also throws an error if the file name doesn't end in `.transfer.json`, if a file can't be read, or if the
 * lock belongs to another recipe or was written by a later version.
 */
export async function readRecipe(file: string): Promise<RecipeInput> {
  if (!file.endsWith(extension)) throw createUsageError(`The file name of a recipe must end in ${extension}.`);
  const path = resolve(file);
  const { recipe, problems, text } = parseRecipe(await readText(file));
  if (!recipe) throw createUsageError(problems.map((problem) => describeRecipeProblem(file, problem)).join('\n'));
  const lock = await loadLock(path);
  // A run must not replace the lock of another recipe or a later version.
  if (lock.kind === 'foreign' || lock.kind === 'newer') throw new CliError(describeUnusualLock(lock) ?? '');
  return { file, path, name: basename(path), folder: dirname(path), recipe, text, lock };
}

/**
 * Returns the connection that the options name, otherwise the connection to the recipe's service. If neither the
 * options nor the recipe names a service, returns the only connection in the connections file. Throws a usage error if
 * the recipe's service isn't in that file, because the author of a recipe must not choose where a key is sent.
 */
export function chooseRecipeConnection(
  options: GlobalOptions,
  { service }: Recipe,
  file: ConnectionsFile,
): FileConnection {
  if (options.server !== undefined || options.connection !== undefined || service === undefined)
    return chooseConnection(options, file);
  const local = file.connections.find(({ serviceFile }) => serviceFile !== undefined);
  if (service === localLinkService) return local ?? throwNoLocalService();
  if (!/^https?:/i.test(service)) return chooseConnection({ ...options, connection: service }, file);
  const known = findByAddress(file.connections, service);
  if (known) return known;
  const name = formatService(service);
  throw createUsageError(
    `The recipe names the service ${name}, which isn't in your connections. Use --server to connect to it.`,
  );
}

/**
 * Returns a note if an option selected a service other than the one that the recipe names. Returns undefined if the
 * services are the same, or if the recipe names none.
 */
export function describeOverride({ service }: Recipe, chosen: FileConnection): string | undefined {
  if (service === undefined || isService(service, chosen)) return undefined;
  const name = formatService(service);
  return `The recipe names the service ${name}, but the options select ${toPlainCell(chosen.name)}.`;
}

/** Formats the service of a recipe, which is an address or the name of a connection, for a message. */
function formatService(service: string): string {
  return toPlainCell(/^https?:/i.test(service) ? toShownAddress(service) : service);
}

function isService(service: string, { id, name, serviceFile, ...address }: FileConnection): boolean {
  // The local service can also be selected by its address.
  if (service === localLinkService) return serviceFile !== undefined || isOnThisMachine(toAddress(address));
  if (/^https?:/i.test(service)) return toAddress({ server: service }) === toAddress(address);
  return service === id || service === name;
}

function isOnThisMachine(address: string): boolean {
  return URL.canParse(address) && isLoopback(new URL(address).hostname);
}

function throwNoLocalService(): never {
  const advice = 'Use a terminal in the editor, or --server with its address.';
  throw createUsageError(`The recipe names the local service, which isn't in your connections. ${advice}`);
}

async function loadLock(path: string): Promise<LockReadResult> {
  try {
    return await readLock(path);
  } catch (error) {
    throw new CliError(`Couldn't read the lock of ${toPlainCell(path)} (${getErrorCode(error)}).`);
  }
}

async function readText(file: string): Promise<string> {
  try {
    return await readRegularFile(file, maxRecipeBytes);
  } catch (error) {
    throw createUsageError(`Couldn't read ${toPlainCell(file)} (${getErrorCode(error)}).`);
  }
}

const wording = {
  l10n: clauses,
  toPlainLine: toPlainCell,
  formatNumber: String,
  describeNewerVersion: () => 'the recipe requires a later version of data-transfer',
};

/** Describes a problem and its position: `reads.transfer.json:3: unknown field "form"; did you mean "from"?`. */
export function describeRecipeProblem(file: string, problem: RecipeProblem): string {
  const { kind, range, nearest, expected = '' } = problem;
  const hasList = kind === 'unknownDatabase' && nearest === undefined && expected !== '';
  const databases = hasList ? `; it has: ${toPlainCell(expected)}` : '';
  return `${toPlainCell(file)}:${range.line}: ${describeProblem(wording, problem)}${databases}`;
}
