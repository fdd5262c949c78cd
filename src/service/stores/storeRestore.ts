import * as z from 'zod/mini';
import { parseJsonObject } from '../../core/util/json.ts';
import { archivedCause, findStoreCause } from '../../core/util/remote.ts';
import { collectOutput, startRclone } from './rcloneProgram.ts';
import type { ObjectList } from './storeBatches.ts';
import { createUnknownError, findStoreError, StoreError } from './storeError.ts';

/** The permission to restore a store's archived objects; restoring costs money (D67: archived objects). */
export const restoreSchema = z
  .strictObject({
    days: z.int().check(z.gte(1), z.lte(365), z.describe('Number of days for which a restored object can be read.')),
    priority: z.optional(
      z
        .enum(['Standard', 'Bulk', 'Expedited'])
        .check(z.describe('Speed and price of a restore; `Standard` if absent.')),
    ),
  })
  .check(z.describe('For a store: permits transfers to restore its archived objects, which costs money.'));

/** The options of a restore request (D67: archived objects). */
export type RestoreOptions = z.infer<typeof restoreSchema>;

/** An object for which the store did not accept the restore request. */
interface RestoreRefusal {
  readonly path: string;
  readonly error: StoreError;
}

interface RestorableStore {
  /** Path of the rclone executable. */
  readonly program: string;
  readonly remote: string;
  /** Writes a list of paths for rclone. The paths must not contain line breaks. */
  readonly createList: (paths: readonly string[]) => ObjectList;
}

/** Maximum number of characters of a command's log, which has a line for each archived object. */
const maxLogChars = 1024 * 1024;

/**
 * Options that limit a command to the objects in a list, so that the command doesn't list the whole store. The path of
 * the list's file must follow. Each command runs in its own rclone process, because rclone's remote control ignores
 * such lists for commands.
 */
const listOption = ['--no-traverse', '--files-from-raw'] as const;

/** Finds the archived objects in a store and has the store restore them (D67: archived objects). */
export class StoreRestore {
  private readonly store: RestorableStore;
  private readonly signal: AbortSignal;

  constructor(store: RestorableStore, signal: AbortSignal) {
    this.store = store;
    this.signal = signal;
  }

  /**
   * Returns the paths of objects that must be restored before they can be read. Tries to read one byte of each object.
   * Throws {@link StoreError} if the store can't be read.
   */
  async findArchived(paths: readonly string[]): Promise<ReadonlySet<string>> {
    const { code, errors } = await this.run(['cat', '--discard', '--count=1', '--use-json-log'], paths);
    const failures = errors.split('\n').flatMap((line) => parseFailure(line) ?? []);
    const other = failures.find(({ text }) => findStoreCause(text) !== archivedCause);
    if (other === undefined && (code === 0 || failures.length > 0)) return new Set(failures.map(({ path }) => path));
    throw findStoreError(other?.text ?? errors) ?? createUnknownError();
  }

  /** Requests restores. Returns the refused objects. Throws {@link StoreError} on failure. */
  async request(
    paths: readonly string[],
    { days, priority = 'Standard' }: RestoreOptions,
  ): Promise<readonly RestoreRefusal[]> {
    const options = ['-o', `priority=${priority}`, '-o', `lifetime=${days}`];
    const { code, text, errors } = await this.run(['backend', 'restore', ...options], paths);
    if (code === 0) return parseRefusals(text);
    throw isWithoutRestore(errors) ? createUnableError() : (findStoreError(errors) ?? createUnknownError());
  }

  private async run(args: readonly string[], paths: readonly string[]): ReturnType<typeof collectOutput> {
    const { program, remote, createList } = this.store;
    const child = startRclone(program, [...args, ...listOption, createList(paths).file, '--', remote]);
    const output = await collectOutput(child, this.signal, maxLogChars);
    this.signal.throwIfAborted();
    return output;
  }
}

/** Parses a line of rclone's log; undefined unless the line concerns an object. */
function parseFailure(line: string): { readonly path: string; readonly text: string } | undefined {
  const { object: path, msg: text } = parseJsonObject(line) ?? {};
  return typeof path === 'string' && typeof text === 'string' ? { path, text } : undefined;
}

const refusalsSchema = z.array(z.object({ Remote: z.string(), Status: z.string() }));

/** Returns the refused objects of rclone's output, without those whose restore is in progress. */
function parseRefusals(text: string): RestoreRefusal[] {
  const states = z.safeParse(refusalsSchema, parseJsonArray(text)).data;
  if (states === undefined) throw createUnknownError();
  const refused = states.filter(
    ({ Status: status }) => status !== 'OK' && !status.includes('RestoreAlreadyInProgress'),
  );
  return refused.map(({ Remote: path, Status: status }) => ({ path, error: createRefusalError(status) }));
}

function parseJsonArray(text: string): unknown {
  return parseJsonObject(`{"array":${text}}`)?.['array'];
}

/** Creates the error for a refused restore, with the store's error code. A server failure counts as temporary. */
function createRefusalError(status: string): StoreError {
  const code = /(?:^|api error )([A-Z][A-Za-z]{0,60}):/.exec(status)?.[1];
  const error = findStoreError(status) ?? new StoreError(isServerFailure(status) ? 'failed' : 'refused', refusedCause);
  return code === undefined ? error : new StoreError(error.kind, `${error.message} (${code})`);
}

const refusedCause = 'the store refused the request';

function isServerFailure(status: string): boolean {
  return /status ?code: 5\d\d/i.test(status);
}

function isWithoutRestore(errors: string): boolean {
  return /doesn't support backend commands|command not found/i.test(errors);
}

function createUnableError(): StoreError {
  return new StoreError('refused', 'rclone has no command to restore objects in this kind of store');
}
