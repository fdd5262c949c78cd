import type { Readable } from 'node:stream';
import { parseJsonObject } from '../../core/util/json.ts';
import { dataNames, findHiddenPath, isUncounted, type LeftOutName, type ScannedFile } from '../catalog/catalogFile.ts';
import type { StagedListing } from '../catalog/catalogMerge.ts';
import { DatabaseUnavailableError } from '../catalog/databaseUnavailableError.ts';
import {
  deniedCause,
  escapePattern,
  findStoreCause,
  foreignAnswerCause,
  joinRemotePath,
  missingFolderCause,
  silentCause,
} from '../../core/util/remote.ts';
import { LoopFinder, maxLoops } from './linkLoops.ts';
import { ListingLog, RepeatedFolders, splitLines } from './listingLog.ts';
import { collectOutput, endWithSignal, startRclone, waitForEnd } from './rcloneProgram.ts';
import {
  findAbsentRemote,
  findKnownTime,
  findReportedTime,
  type KeptTimes,
  type StoreFeatures,
} from './storeFeatures.ts';

interface ListedStore {
  readonly program: string;
  readonly remote: string;
  readonly features: StoreFeatures;
  /** Folders to leave out, relative to the listed one; if there are many, all links of a server. */
  readonly loops?: readonly string[];
  /** Called with a sentence if the storage classes of the objects could not be listed. */
  readonly onNote: (note: string) => void;
  /** Keeps the storage classes that are listed apart: there may be one per object. */
  readonly staged: StagedListing;
  /** Maximum time in which rclone finds nothing; by default six hours, for a folder with many links on a slow server. */
  readonly silenceMs?: number;
}

interface ListingBatch {
  readonly files: ScannedFile[];
  readonly leftOut: LeftOutName[];
}

const batchSize = 1_000;

/** Modification time for objects whose store doesn't report one. It sorts before all others, and is not shown. */
const unknownTimeMs = Number.NEGATIVE_INFINITY;

const standardClass = 'STANDARD';

/** Storage classes of objects that must be restored before they can be read. */
const archivedClasses = new Set(['GLACIER', 'DEEP_ARCHIVE', 'ARCHIVE']);

/**
 * Lists the objects below a folder of a store, or all objects if `under` is empty. Yields them in batches, in the order
 * in which rclone prints them. Throws {@link DatabaseUnavailableError} if the listing is incomplete, and {@link
 * LinkLoop} if it would not end. Subfolders that can't be read are left out, and missing ones count as empty.
 */
export async function* listStore(store: ListedStore, under: string, signal: AbortSignal): AsyncGenerator<ListingBatch> {
  const { features, staged } = store;
  const { hasListedClasses, hasFlatListing, keptTimes } = features;
  if (!hasListedClasses) await tryReadClasses(store, under, signal);
  const classes = hasListedClasses ? undefined : staged;
  const batch: ListingBatch = { files: [], leftOut: [] };
  // Only a store that is listed folder by folder can have links.
  const loops = hasFlatListing ? undefined : new LoopFinder();
  const read: ListingReader<ListingBatch> = (pieces) => gather(pieces, { under, keptTimes, loops }, batch, classes);
  const repeated = new RepeatedFolders();
  const list = (filters: readonly string[]): AsyncIterable<ListingBatch> => {
    const log = new ListingLog(under, batch.leftOut, repeated);
    return runListing(store, [...createArguments(store), ...filters], { under, read, log }, signal);
  };
  const filters = hasFlatListing ? [] : hiddenFilters;
  yield* list(filters);
  for (let folders = repeated.take(); folders.length > 0; folders = repeated.take())
    yield* list(folders.includes('') ? filters : includeOnly(folders));
  yield takeBatch(batch);
}

/** Excludes hidden names and doesn't read hidden folders. rclone logs each excluded name. */
const hiddenFilters = [
  '-vv',
  ...['- .*/**', ...dataNames.map((name) => `+ .${name}`), '- .*'].map((rule) => `--filter=${rule}`),
];

function includeOnly(folders: readonly string[]): readonly string[] {
  const rules = folders.map((folder) => `+ /${escapePattern(folder)}/**`);
  return ['-vv', ...['- .*/**', ...rules, '- *'].map((rule) => `--filter=${rule}`)];
}

/** Rejects if a server lists a folder that doesn't exist, and so doesn't answer as a store. */
export async function requireStoreAnswers(
  { program, remote, features }: ListedStore,
  signal: AbortSignal,
): Promise<void> {
  const absent = findAbsentRemote(remote, features);
  if (absent === undefined) return;
  const { code, errors } = await collectOutput(startRclone(program, ['lsjson', '--', absent]), signal);
  signal.throwIfAborted();
  if (code === 0) throw new DatabaseUnavailableError(foreignAnswerCause);
  const cause = findStoreCause(errors) ?? missingFolderCause;
  if (cause !== missingFolderCause && cause !== deniedCause) throw new DatabaseUnavailableError(cause);
}

/** The place that is listed, and the times that it keeps. */
interface ListedPlace {
  readonly under: string;
  readonly keptTimes: KeptTimes;
  readonly loops: LoopFinder | undefined;
}

type ListingReader<T> = (pieces: AsyncIterable<readonly string[]>) => AsyncIterable<T>;

interface ListingOutput<T> {
  readonly under: string;
  readonly read: ListingReader<T>;
  readonly log: ListingLog;
}

async function* runListing<T>(
  { program, remote, silenceMs = 6 * 3_600_000 }: ListedStore,
  args: readonly string[],
  { under, read, log }: ListingOutput<T>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const child = startRclone(program, [...args, '--use-json-log', '--', joinRemotePath(remote, under)]);
  const ended = waitForEnd(child);
  // rclone has no limit for a server that sends a byte now and then.
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), silenceMs);
  const hear = async function* (output: Readable): AsyncGenerator<string> {
    for await (const piece of output.setEncoding('utf8')) {
      timer.refresh();
      yield piece as string;
    }
  };
  // An incomplete log makes the listing incomplete.
  const logged = log.read(hear(child.stderr)).catch(() => undefined);
  const stop = endWithSignal(child, AbortSignal.any([signal, silence.signal]));
  try {
    yield* read(splitLines(hear(child.stdout)));
    const code = await ended;
    await logged;
    if (silence.signal.aborted) throw new DatabaseUnavailableError(silentCause);
    if (code === 0 || log.isComplete) return;
    throw new DatabaseUnavailableError(log.describeFailure(remote));
  } finally {
    clearTimeout(timer);
    stop();
  }
}

/** Matches the lines with the two fields that are read; rclone indents its output, with one field per line. */
const classFieldPattern = /^\t\t"(Remote|StorageClass)": ("(?:[^"\\]|\\.)+"),?$/;

/** Maximum delay of a timer: 24 days. */
const longestMs = 2 ** 31 - 1;

async function tryReadClasses(store: ListedStore, under: string, signal: AbortSignal): Promise<void> {
  try {
    await readClasses(store, under, signal);
  } catch (error) {
    if (signal.aborted || !(error instanceof DatabaseUnavailableError)) throw error;
    // Some services reject the header with which rclone lists storage classes.
    store.onNote(
      `archived objects may count as staged, because their storage classes can't be listed: ${error.message}`,
    );
  }
}

async function readClasses(store: ListedStore, under: string, signal: AbortSignal): Promise<void> {
  let name = '';
  // This command takes no request per object, unlike a listing with metadata.
  const args = ['backend', 'restore-status', '-o', 'all'];
  const read: ListingReader<readonly string[]> = (pieces) => pieces;
  const log = new ListingLog(under, [], new RepeatedFolders());
  // rclone prints the classes of a whole bucket only at the end.
  const patient = { ...store, silenceMs: longestMs };
  for await (const lines of runListing(patient, args, { under, read, log }, signal)) {
    const classes = new Map<string, string>();
    for (const line of lines) {
      const [, field, json = ''] = classFieldPattern.exec(line) ?? [];
      if (field === undefined) continue;
      const value = JSON.parse(json) as string;
      if (field === 'Remote') name = value;
      else if (value !== standardClass) classes.set(name, value);
    }
    store.staged.addClasses(classes);
  }
}

function createArguments({ features, loops = [] }: ListedStore): string[] {
  const hash = features.hashes.find((name) => name !== 'sha256' || features.hasListedHashes);
  return [
    'lsjson',
    '--recursive',
    // Where links can be, the folders show those that lead back.
    ...(features.hasFlatListing ? ['--files-only'] : []),
    '--no-mimetype',
    ...(loops.length > maxLoops ? ['--sftp-skip-links'] : []),
    ...loops.map((folder) => `--filter=- /${escapePattern(folder)}/**`),
    ...(features.hasListedTimes ? [] : ['--use-server-modtime']),
    ...(features.hasListedHashes && hash !== undefined ? ['--hash', '--hash-type', hash] : []),
  ];
}

async function* gather(
  pieces: AsyncIterable<readonly string[]>,
  place: ListedPlace,
  batch: ListingBatch,
  classes: StagedListing | undefined,
): AsyncGenerator<ListingBatch> {
  for await (const lines of pieces) {
    for (const line of lines) {
      const object = parseListedLine(line, classes);
      if (object === undefined) continue;
      place.loops?.check(object);
      addObject(batch, object, place);
    }
    if (batch.files.length + batch.leftOut.length >= batchSize) yield takeBatch(batch);
  }
  yield takeBatch(batch);
}

function takeBatch({ files, leftOut }: ListingBatch): ListingBatch {
  return { files: files.splice(0), leftOut: leftOut.splice(0) };
}

function addObject(batch: ListingBatch, object: ListedObject, place: ListedPlace): void {
  if (object['IsDir'] === true) return;
  const found = toScannedObject(object, place);
  if (isUncounted(found.path)) return;
  const hidden = 'kind' in found && found.kind === 'invalidNames' ? undefined : findHiddenPath(found.path);
  if (hidden !== undefined) batch.leftOut.push({ path: hidden, kind: 'hidden' });
  else if ('kind' in found) batch.leftOut.push(found);
  else batch.files.push(found);
}

type ListedObject = Readonly<Record<string, unknown>>;

/**
 * Parses one line of the listing, and adds the storage class that was listed apart. rclone prints an array with one
 * object per line, separated by commas.
 */
function parseListedLine(line: string, classes: StagedListing | undefined): ListedObject | undefined {
  if (!line.startsWith('{')) return undefined;
  const object = parseJsonObject(line.endsWith(',') ? line.slice(0, -1) : line);
  const Tier = classes?.findClass(String(object?.['Path']));
  return Tier === undefined ? object : { ...object, Tier };
}

function toScannedObject(object: ListedObject, { under, keptTimes }: ListedPlace): ScannedFile | LeftOutName {
  const { Path: name, Size: bytes, ModTime: time } = object;
  if (typeof name !== 'string') return { path: `${under}/`, kind: 'invalidNames' };
  const path = under === '' ? name : `${under}/${name}`;
  if (!isFilePath(path)) return { path, kind: 'invalidNames' };
  // An object of unknown size, such as an online office document, is generated when it is read.
  if (typeof bytes !== 'number' || !Number.isSafeInteger(bytes) || bytes < 0) return { path, kind: 'unknownSizes' };
  const listedMs = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  const modifiedMs = findReportedTime(keptTimes, findKnownTime(listedMs)) ?? unknownTimeMs;
  return { path, bytes, modifiedMs, ...describeObject(object) };
}

/**
 * Returns true for a valid file path without placeholders for characters that rclone could not represent. In a bucket,
 * rclone lists `.` and `..` as full-width dots and doubles U+201B, and can't read the objects by these names.
 */
function isFilePath(path: string): boolean {
  return !/[\0\uFFFD]|\u201B{2}|(?:^|\/)[.\uFF0E]{0,2}(?:\/|$)/.test(path);
}

function describeObject({ Hashes: hashes, Tier: tier }: ListedObject): { readonly metadata?: string } {
  const [[algorithm, hex] = []] = typeof hashes === 'object' && hashes !== null ? Object.entries(hashes) : [];
  const hash = typeof hex === 'string' && hex !== '' ? { hash: `${algorithm}:${hex}` } : {};
  const storage = typeof tier === 'string' && tier !== '' && tier !== standardClass ? { storageClass: tier } : {};
  const fields = { ...hash, ...storage };
  return Object.keys(fields).length === 0 ? {} : { metadata: JSON.stringify(fields) };
}

const quotedClasses = [...archivedClasses].map((name) => `'${name}'`).join(', ');

/** Returns true if objects in this storage class must be restored before they can be read. */
export function isArchived(storageClass: unknown): boolean {
  return typeof storageClass === 'string' && archivedClasses.has(storageClass.toUpperCase());
}

/** SQL condition for objects that can be read without being restored first. */
export const readableCondition = `upper(coalesce(json_extract(f.metadata, '$.storageClass'), '')) NOT IN (${quotedClasses})`;
