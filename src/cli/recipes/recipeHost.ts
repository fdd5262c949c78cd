import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { PlanOptions } from '../../core/search/recipeFlow.ts';
import type {
  AcceptedTransfer,
  OpenRecipe,
  PlannedRun,
  RecipeReader,
  RecipeService,
  SubmittingHost,
} from '../../core/search/recipeRun.ts';
import { isLoopback } from '../../core/model/connection.ts';
import { localLinkService } from '../../core/model/link.ts';
import { withFollowUp, type TransferOrder } from '../../core/model/transferModel.ts';
import type { PlanObstacle, RecipePlan } from '../../core/recipes/planRecipe.ts';
import type { LockReadResult } from '../../core/recipes/recipeLock.ts';
import type { RecipeProblem } from '../../core/recipes/recipeText.ts';
import type { Recipe } from '../../core/recipes/recipeSchema.ts';
import { getErrorCode } from '../../core/util/errorFacts.ts';
import type { FollowUp } from '../../core/util/followUp.ts';
import { describeRecipeProblem as describeProblem } from '../../core/words/recipeSentences.ts';
import { CliError, createRequestError, createUsageError, exitCode } from '../cliError.ts';
import type { CliSession } from '../connections/cliSession.ts';
import {
  chooseConnection,
  findByAddress,
  toAddress,
  toShownAddress,
  type ConnectionsFile,
  type FileConnection,
} from '../connections/connectionsFile.ts';
import type { GlobalOptions } from '../options.ts';
import { formatCount, toPlainCell } from '../output.ts';
import { clauses, noteListing } from '../text/sentences.ts';
import { nothingSent, submitTransfer } from '../transfers/transferStart.ts';
import {
  describeOmissions,
  describeObstacle,
  describeUnusableLock,
  describeUnusualLock,
  getObstacleCode,
} from './planText.ts';

/** Reports why a recipe can't be read, with exit codes. `file` is the path as the user wrote it. */
export class CliRecipeReader implements RecipeReader {
  protected readonly file: string;

  constructor(file: string) {
    this.file = file;
  }

  failToRead(error: unknown, part: 'recipe' | 'lock'): never {
    const code = getErrorCode(error);
    if (part === 'recipe') throw createUsageError(`Couldn't read ${toPlainCell(this.file)} (${code}).`);
    throw new CliError(`Couldn't read the lock of ${toPlainCell(resolve(this.file))} (${code}).`);
  }

  failInvalid(problems: readonly RecipeProblem[]): never {
    throw createUsageError(problems.map((problem) => describeRecipeProblem(this.file, problem)).join('\n'));
  }
}

/**
 * Runs recipes for commands. Asks no questions: instead, refuses files that are in a running transfer, unless `again`
 * is true. Prints a note if there is a problem with the lock, or if an option overrides the recipe's service.
 */
export class CliRecipeHost extends CliRecipeReader implements SubmittingHost<never> {
  private readonly session: CliSession;
  private readonly again: boolean;
  private readonly followUp: FollowUp | undefined;

  /** `followUp` takes the place of the recipe's own. */
  constructor(session: CliSession, file: string, again = false, followUp?: FollowUp) {
    super(file);
    this.session = session;
    this.again = again;
    this.followUp = followUp;
  }

  failLocked(lock: LockReadResult): never {
    if (lock.kind === 'foreign' || lock.kind === 'newer') throw new CliError(describeUnusualLock(lock) ?? '');
    throw new CliError(describeUnusableLock(lock), exitCode.differs);
  }

  async connect({ recipe, lock }: OpenRecipe): Promise<RecipeService> {
    const { context, explorer, file } = this.session;
    const connection = chooseRecipeConnection(context.options, recipe, file);
    for (const note of [describeUnusualLock(lock), describeOverride(recipe, connection)])
      if (note !== undefined) context.output.note(note);
    const session = await this.session.open(connection);
    const { databases } = explorer.connectionStore.listing;
    return { session, orcid: this.session.getOrcid(connection.id), databases };
  }

  async showPlanning(start: (options: PlanOptions) => Promise<RecipePlan>): Promise<RecipePlan> {
    // Makes V8 collect garbage earlier: the result pages of 100,000 files would otherwise use half a gigabyte of memory.
    setFlagsFromString('--optimize-for-size');
    const { signal, output } = this.session.context;
    return await start({
      signal,
      onProgress: (count) => output.showProgress(`Finding files: ${formatCount(count, 'file')}`),
    });
  }

  failObstructed({ plan }: PlannedRun, obstacle: PlanObstacle): never {
    if (plan.failure?.kind === 'service') throw createRequestError(nothingSent, plan.failure.reason);
    noteListing(this.session.context.output, plan.listing);
    throw new CliError(`${nothingSent}. ${describeObstacle(plan, obstacle)}`, getObstacleCode(plan, obstacle));
  }

  /** Prints a note for each omission. Resolves to the same order, because nobody is asked. */
  confirm({ plan }: PlannedRun, order: TransferOrder): Promise<TransferOrder> {
    for (const line of describeOmissions(plan)) this.session.context.output.note(line);
    return Promise.resolve(withFollowUp(order, this.followUp));
  }

  async submit(order: TransferOrder): Promise<AcceptedTransfer> {
    return await submitTransfer(this.session, order, this.again);
  }
}

/**
 * Returns the connection that the options name, otherwise the connection to the recipe's service. If neither the
 * options nor the recipe names a service, returns the only connection in the connections file. Throws a usage error if
 * the recipe's service isn't in that file, because the author of a recipe must not choose where a key is sent.
 */
function chooseRecipeConnection(options: GlobalOptions, { service }: Recipe, file: ConnectionsFile): FileConnection {
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
function describeOverride({ service }: Recipe, chosen: FileConnection): string | undefined {
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
