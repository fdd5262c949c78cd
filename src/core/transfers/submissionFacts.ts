import { countFileLicenses, type LicenseCount } from '../citations/creditText.ts';
import { findRepeatedFiles, getContentKey } from '../duplicates/equalFiles.ts';
import type { Database } from '../model/databaseModel.ts';
import { findFilesUnderWay, type FilesUnderWay } from '../model/transferOutcome.ts';
import type { TransferFile, TransferOrder } from '../model/transferModel.ts';
import type { TransferStore } from './transferStore.ts';
import { readFreeBytes } from '../util/fileSystem.ts';
import { findServedFolder } from '../verification/transferredFolder.ts';
import type { DuplicateFlow, KnownCopies, KnownCopiesOptions } from './duplicateFlow.ts';
import type { OpenConnection, OpenConnections } from '../connections/openConnections.ts';

/** The facts on which a person decides whether to submit orders. */
export interface SubmissionFacts extends KnownCopies {
  /** The files whose content also occurs in an earlier one of the orders. */
  readonly repeated: ReadonlySet<TransferFile>;
  readonly underWay: FilesUnderWay;
  readonly licenses: readonly LicenseCount[];
  /** Free bytes at the destination; undefined if unknown. */
  readonly freeBytes: number | undefined;
}

interface FactSources {
  readonly duplicateFlow: DuplicateFlow;
  readonly sessions: OpenConnections;
  readonly transferStore: TransferStore;
}

interface FactOptions extends KnownCopiesOptions {
  /** The destination as the service describes it; undefined if unknown. */
  readonly destination: Database | undefined;
  /** The folder that the user has named for the destination; undefined if there is none. */
  readonly folder?: string | undefined;
  /** Key of the unconfirmed transfer that this submission replaces. */
  readonly replacedKey?: string | undefined;
}

/** Finds the facts about orders, which have the same connection and destination. Submits nothing. Never rejects. */
export async function findSubmissionFacts(
  { duplicateFlow, sessions, transferStore }: FactSources,
  orders: readonly TransferOrder[],
  options: FactOptions,
): Promise<SubmissionFacts> {
  const { destination, folder, replacedKey } = options;
  const connectionId = orders[0]?.connectionId ?? '';
  const session = sessions.get(connectionId);
  const [copies, freeBytes] = await Promise.all([
    duplicateFlow.findKnownCopies(orders, options),
    findFreeBytes(session, destination, folder),
  ]);
  const others = transferStore.getAll().filter(({ key }) => key !== replacedKey);
  return {
    ...copies,
    repeated: findRepeatedFiles(orders, listContentKeys),
    underWay: findFilesUnderWay(others, orders, sessions.getServiceIds(connectionId)),
    licenses: countFileLicenses(orders.flatMap(({ files }) => files)),
    freeBytes,
  };
}

function listContentKeys(file: TransferFile): readonly string[] {
  const key = getContentKey(file);
  return key === undefined ? [] : [key];
}

/**
 * Resolves to the number of free bytes at a destination: as reported by the service, otherwise in the folder that a
 * service on this machine serves, otherwise in `folder`. Resolves to undefined if the number isn't known or isn't read
 * in time. Never rejects.
 */
export async function findFreeBytes(
  session: OpenConnection | undefined,
  destination: Database | undefined,
  folder?: string,
): Promise<number | undefined> {
  if (destination?.listing?.freeBytes !== undefined) return destination.listing.freeBytes;
  const place = (session && destination && findServedFolder(session, destination)) ?? folder;
  return place === undefined ? undefined : await readFreeBytes(place);
}
