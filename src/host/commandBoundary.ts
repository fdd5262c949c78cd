import { commands, l10n, Uri } from 'vscode';
import { isJsonObject } from '../core/util/json.ts';
import type { Logger } from '../core/util/logger.ts';
import { rowKinds, type CommandArguments, type CommandId } from './contributions.ts';
import { showLogAction, type NoticeAction, type Notices } from './notices.ts';

/** A failure in words for the person: one sentence, and buttons that help. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly actions: readonly NoticeAction[];

  constructor(message: string, ...actions: NoticeAction[]) {
    super(message);
    this.actions = actions;
  }
}

/** What a command does; `selection` are all selected rows when it was started from a tree. */
export type CommandHandler<I extends CommandId> = (
  argument: CommandArguments[I] | undefined,
  selection: readonly CommandArguments[I][] | undefined,
) => unknown;

/** What each command does. */
export type CommandTable = { readonly [I in CommandId]: CommandHandler<I> };

/** Runs a command as a person would, and does not wait for it. */
export function runCommand<I extends CommandId>(id: I, argument?: CommandArguments[I]): void {
  void commands.executeCommand(id, argument);
}

/** The only boundary of all commands: logs each, times it, and shows what went wrong once. */
export class CommandBoundary {
  private readonly table: CommandTable;
  private readonly log: Logger;
  private readonly notices: Notices;

  constructor(table: CommandTable, log: Logger, notices: Notices) {
    this.table = table;
    this.log = log;
    this.notices = notices;
  }

  /** Does what a command does. The editor passes it a row, and all selected rows. */
  readonly perform = async (id: CommandId, argument?: unknown, selection?: unknown): Promise<void> => {
    const startedAt = performance.now();
    try {
      await act(this.table, id, argument, selection);
      this.log.debug(`${id} took ${Math.round(performance.now() - startedAt)} ms`);
    } catch (error) {
      this.show(id, error);
    }
  };

  private show(id: CommandId, error: unknown): void {
    const showLog = showLogAction(() => runCommand('dataTransfer.showLog'));
    if (error instanceof CommandFailure) {
      this.log.error(`${id}: ${error.message}`);
      void this.notices.error(error.message, ...error.actions, showLog);
      return;
    }
    this.log.error(`${id}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    void this.notices.error(l10n.t('Something went wrong that should not have. The log has the details.'), showLog);
  }
}

async function act<I extends CommandId>(
  table: Pick<CommandTable, I>,
  id: I,
  argument: unknown,
  selection: unknown,
): Promise<void> {
  const selected = Array.isArray(selection) ? selection.filter((row) => isFor(id, row)) : undefined;
  await table[id](isFor(id, argument) ? argument : undefined, selected);
}

/** Whether an argument is one that the command takes: a row of its kind, or what a page names a file with. */
function isFor<I extends CommandId>(id: I, argument: unknown): argument is CommandArguments[I] {
  const kinds: readonly unknown[] = [rowKinds[id]].flat();
  if (argument instanceof Uri) return kinds.includes('folder') || kinds.includes('document');
  if (!isJsonObject(argument)) return false;
  if ('kind' in argument) return argument['kind'] !== undefined && kinds.includes(argument['kind']);
  return (
    kinds.includes('file') &&
    ['connectionId', 'database', 'id', 'name'].every((key) => typeof argument[key] === 'string')
  );
}
