import { isOfService, type Transfer, type TransferFile, type TransferOrder } from '../model/transferModel.ts';
import { getOutcome } from '../model/transferOutcome.ts';
import { parseDeclaredHash } from '../util/declaredHash.ts';

/** The properties of a file that identify its content. */
export interface FileContent {
  /** The hash exactly as the server declares it. */
  readonly hash?: string;
  readonly sizeBytes?: number;
}

/**
 * Returns a key that two files share if they have the same hash algorithm, hash and size (D60: same content). Returns
 * undefined if the hash or size is unknown, or if the file is empty, because empty files don't count as copies of each
 * other.
 */
export function getContentKey({ hash, sizeBytes }: FileContent): string | undefined {
  if (sizeBytes === undefined || sizeBytes <= 0) return undefined;
  const declared = parseDeclaredHash(hash);
  return declared && `${declared.algorithm}:${declared.hex}:${sizeBytes}`;
}

/** The content of a file, and its place: the path in its database or, if that is unknown, the ID. */
export interface PlacedFile extends FileContent {
  readonly path?: string;
  readonly id?: string;
}

/**
 * Returns the keys of a file's content at its place, by which {@link getCopyKeys} finds it (D60: same content). The ID
 * is a place only if the path is unknown, as in records of earlier versions. Returns an empty list if the content is
 * unknown.
 */
export function getPlaceKeys(file: PlacedFile): readonly string[] {
  const { id, path = id } = file;
  const isById = file.path === undefined && id !== undefined;
  return toKeys(file, [...(path === undefined ? [] : [path]), ...(isById ? [`#${id}`] : [])]);
}

/** Returns the keys that a planned file shares with those that have the same content at the same place. */
export function getCopyKeys(file: PlacedFile & { readonly id: string }): readonly string[] {
  return toKeys(file, [file.path ?? file.id, `#${file.id}`]);
}

function toKeys(file: FileContent, places: readonly string[]): readonly string[] {
  const content = getContentKey(file);
  return content === undefined ? [] : places.map((place) => `${content} ${place}`);
}

/** The files that a verification of a transfer found intact. */
export interface VerifiedFiles {
  readonly key: string;
  readonly files: readonly PlacedFile[];
}

/** Returns the succeeded `transfers` to a service with an order's destination and user, in their sequence. */
export function filterSameDestination(
  transfers: readonly Transfer[],
  { destination, orcid }: TransferOrder,
  serviceIds: ReadonlySet<string>,
): readonly Transfer[] {
  const isSame = (order: TransferOrder): boolean => order.destination === destination && order.orcid === orcid;
  return transfers.filter((one) => one.state === 'succeeded' && isSame(one.order) && isOfService(one, serviceIds));
}

/**
 * Finds the files that earlier transfers already delivered to the same destination, under the same path. Maps each of
 * these files to the time at which the latest such transfer ended, in milliseconds since 1970. For a transfer with an
 * entry in `verified`, only the files in that entry count. For any other transfer that succeeded without missing files,
 * all files in its record count if their hash and size are known.
 */
export function findReceivedFiles(
  files: readonly TransferFile[],
  transfers: readonly Transfer[],
  verified: readonly VerifiedFiles[],
): ReadonlyMap<TransferFile, number> {
  const verifiedByKey = new Map(verified.map((entry) => [entry.key, entry.files]));
  const receivedAt = new Map<string, number>();
  for (const transfer of transfers) {
    const received = verifiedByKey.get(transfer.key) ?? (isComplete(transfer) ? transfer.order.files : []);
    addReceived(receivedAt, received, transfer.changes.at(-1)?.at ?? transfer.createdAt);
  }
  return new Map(files.flatMap((file) => toReceived(file, receivedAt)));
}

function isComplete(transfer: Transfer): boolean {
  return getOutcome(transfer) === 'complete';
}

function addReceived(receivedAt: Map<string, number>, files: readonly PlacedFile[], at: number): void {
  for (const key of files.flatMap(getPlaceKeys)) receivedAt.set(key, Math.max(at, receivedAt.get(key) ?? at));
}

function toReceived(
  file: TransferFile,
  receivedAt: ReadonlyMap<string, number>,
): readonly (readonly [TransferFile, number])[] {
  const times = getCopyKeys(file).flatMap((key) => receivedAt.get(key) ?? []);
  return times.length === 0 ? [] : [[file, Math.max(...times)]];
}

/** Returns the files that share a key with one of an earlier order of the same submission. */
export function findRepeatedFiles(
  orders: readonly TransferOrder[],
  getKeys: (file: TransferFile) => readonly string[],
): ReadonlySet<TransferFile> {
  const repeated = new Set<TransferFile>();
  const seen = new Set<string>();
  for (const { files } of orders) {
    for (const file of files) if (getKeys(file).some((key) => seen.has(key))) repeated.add(file);
    for (const key of files.flatMap(getKeys)) seen.add(key);
  }
  return repeated;
}

/** Returns the orders without the `omitted` files. Drops orders that have no files left. */
export function omitFiles(
  orders: readonly TransferOrder[],
  omitted: ReadonlySet<TransferFile>,
): readonly TransferOrder[] {
  return orders
    .map((order) => ({ ...order, files: order.files.filter((file) => !omitted.has(file)) }))
    .filter(({ files }) => files.length > 0);
}
