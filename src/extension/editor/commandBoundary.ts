import { commands, Uri } from 'vscode';
import { formatErrorStack } from '../../core/util/errorFacts.ts';
import { isJsonObject } from '../../core/util/json.ts';
import type { Logger } from '../../core/util/logger.ts';
import type { ArgumentKind, CommandArguments, CommandId, CommandTables } from './contributions.ts';
import { getCommandTitle } from '../words/commandTitles.ts';
import { describeUnexpectedError } from '../words/sharedLabels.ts';
import { createShowLogAction, type NotificationAction, type Notifications } from './notifications.ts';

/** Thrown to end a command with an error message for the user. The notification's buttons offer remedies. */
export class CommandFailure extends Error {
  override readonly name: string = 'CommandFailure';
  readonly actions: readonly NotificationAction[];

  constructor(message: string, ...actions: NotificationAction[]) {
    super(message);
    this.actions = actions;
  }
}

/**
 * Thrown if a command can't run although nothing has failed, for example because there is nothing to act on. The
 * message is shown as information and not as an error. Its buttons, if any, offer the next steps.
 */
export class CommandHint extends CommandFailure {
  override readonly name = 'CommandHint';
}

/** Runs a command without waiting for it to finish. */
export function runCommand<I extends CommandId>(id: I, argument?: CommandArguments[I]): void {
  void commands.executeCommand(id, argument);
}

/** Creates a button that runs a command and has its title. */
export function createCommandAction<I extends CommandId>(id: I, argument?: CommandArguments[I]): NotificationAction {
  return { label: getCommandTitle(id), run: () => runCommand(id, argument) };
}

interface BoundaryServices {
  readonly log: Logger;
  readonly notifications: Notifications;
}

/** A command of any kind. The boundary passes it only arguments that it takes. */
interface AnyCommand<Services> {
  readonly takes?: readonly ArgumentKind[];
  readonly run: (services: Services, argument: undefined, selection: readonly never[] | undefined) => unknown;
}

/** Runs commands. Logs and times each one, and shows failures to the user. */
export class CommandBoundary<Services extends BoundaryServices> {
  private readonly tables: readonly Readonly<Record<string, AnyCommand<Services>>>[];
  private readonly services: Services;

  constructor(
    tables: Readonly<Record<keyof CommandTables, Readonly<Record<string, AnyCommand<Services>>>>>,
    services: Services,
  ) {
    this.tables = Object.values(tables);
    this.services = services;
  }

  /** Runs a command. The editor passes a row or another argument, and all selected rows. */
  readonly perform = async (id: CommandId, argument?: unknown, selection?: unknown): Promise<void> => {
    await this.run(id, async () => {
      const found = this.tables.find((table) => Object.hasOwn(table, id))?.[id];
      if (!found) throw new Error(`No feature has the command ${id}`);
      const accepts = (given: unknown): given is never => isArgumentOf(found.takes ?? [], given);
      const selected = Array.isArray(selection) ? selection.filter(accepts) : undefined;
      await found.run(this.services, accepts(argument) ? argument : undefined, selected);
    });
  };

  /** Runs `work` with the same logging and error handling as a command. `name` appears in the log. */
  async run(name: string, work: () => Promise<void>): Promise<void> {
    const startedAt = performance.now();
    this.services.log.debug(`${name} started`);
    try {
      await work();
      this.services.log.debug(`${name} took ${Math.round(performance.now() - startedAt)} ms`);
    } catch (error) {
      showFailure(this.services, name, error);
    }
  }
}

/** Shows and logs the failure of a command or a notification's action, which the log calls `name`. */
export function showFailure({ log, notifications }: BoundaryServices, name: string, error: unknown): void {
  if (error instanceof CommandHint) {
    log.info(`${name}: ${error.message}`);
    void notifications.info(error.message, ...error.actions);
    return;
  }
  const showLog = createShowLogAction(() => runCommand('dataTransfer.showLog'));
  if (error instanceof CommandFailure) {
    log.error(`${name}: ${error.message}`);
    void notifications.error(error.message, ...error.actions, showLog);
    return;
  }
  log.error(`${name}: ${formatErrorStack(error)}`);
  void notifications.error(describeUnexpectedError(), showLog);
}

/** Returns true if an argument is of one of these kinds: a row, a URI, or a file reference from a page. */
function isArgumentOf(kinds: readonly ArgumentKind[], argument: unknown): boolean {
  if (argument instanceof Uri) return kinds.includes('folder') || kinds.includes('document');
  if (!isJsonObject(argument)) return false;
  if ('kind' in argument) return kinds.some((kind) => kind === argument['kind']);
  return (
    kinds.includes('fileRef') &&
    ['connectionId', 'database', 'id', 'name'].every((key) => typeof argument[key] === 'string')
  );
}
