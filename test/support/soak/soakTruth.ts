import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Transfer } from '../../../src/core/model/transferModel.ts';
import { brokenPath, soakFiles } from './soakPlan.ts';

/** A transfer in the journal of the service; `state` is `cancelled` if it was canceled. */
export interface JournalTransfer {
  readonly id: string;
  readonly description: string;
  readonly state: string;
  readonly message: string;
}

/** Returns all transfers in the journal of a service that isn't running. */
export function readJournal(dataFolder: string): readonly JournalTransfer[] {
  const database = new DatabaseSync(nodePath.join(dataFolder, 'journal.db'));
  try {
    return database
      .prepare('SELECT id, status, message, fixed FROM transfers')
      .all()
      .map((row) => {
        const { description } = JSON.parse(String(row['fixed'])) as { description: string };
        const message = String(row['message']);
        const isCancelled = row['status'] === 'failed' && message.endsWith(': canceled');
        return {
          id: String(row['id']),
          description,
          message,
          state: isCancelled ? 'cancelled' : String(row['status']),
        };
      });
  } finally {
    database.close();
  }
}

/**
 * Returns the fault in a transfer's final state; empty if there is none. Only the broken file may make a transfer fail;
 * kills may not.
 */
export function findStateFaults({ id, state, message }: JournalTransfer, paths: readonly string[]): readonly string[] {
  const isBroken = paths.includes(brokenPath);
  const isRight = state === 'cancelled' || state === (isBroken ? 'failed' : 'succeeded');
  return isRight ? [] : [`${id} has ${state}, ${isBroken ? 'with' : 'without'} the broken file: ${message}`];
}

/** Returns the contradictions between a transfer's final state and its files at the destination. */
export async function findFileFaults(
  target: string,
  { id, state }: JournalTransfer,
  records: readonly Transfer[],
): Promise<string[]> {
  const folder = nodePath.join(target, `dts-${id}`);
  const hasManifest = await fs.access(nodePath.join(folder, 'manifest.json')).then(
    () => true,
    () => false,
  );
  if (state !== 'succeeded') return hasManifest ? [`${id} has ${state}, and a manifest`] : [];
  const contents = soakFiles();
  const wrong = await Promise.all(
    (records[0]?.order.files ?? []).map(async (file) => {
      const written = await fs.readFile(nodePath.join(folder, file.id)).catch(() => undefined);
      return written && contents.get(file.id)?.equals(written) ? [] : [`${id}: ${file.id} is not what was sent`];
    }),
  );
  return [...(hasManifest ? [] : [`${id} has succeeded without a manifest`]), ...wrong.flat()];
}

/** Returns the differences between the ledger and the service for the transfers with the given description. */
export function findRecordFaults(
  description: string,
  records: readonly Transfer[],
  truths: readonly JournalTransfer[],
): readonly string[] {
  const [truth] = truths;
  if (truths.length !== 1 || !truth) return [`${description} was submitted ${String(truths.length)} times`];
  const begun = records.filter(({ state }) => state !== 'refused');
  const kept = begun.map(({ id, state }) => `${String(id)} ${state}`).join(', ');
  if (kept === `${truth.id} ${truth.state}`) return [];
  return [`${description} is kept as ${kept || 'nothing'}, and is ${truth.id} ${truth.state}`];
}
