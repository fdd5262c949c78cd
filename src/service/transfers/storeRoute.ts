import { randomBytes } from 'node:crypto';
import { settlesWithin, systemClock } from '../../core/util/clock.ts';
import { archivedCause, differingCause, getRemoteName } from '../../core/util/remote.ts';
import { getClaimName, getTransferFolderName, getUploadFolderName } from '../../core/util/transferFolderNames.ts';
import type { DatabaseLocation, ServedDatabase } from '../catalog/servedDatabases.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { ClusterRoute } from '../cluster/clusterRoute.ts';
import { StoreClient, waitForAbandonedRequests, type RcloneAddress, type StoreObject } from '../stores/storeClient.ts';
import type { RcloneDaemon } from '../stores/rcloneDaemon.ts';
import { missingParentCause, StoreError } from '../stores/storeError.ts';
import { chooseVerification, isWeb, type CopyVerification, type StoreFeatures } from '../stores/storeFeatures.ts';
import { foldPath } from '../stores/storeBatches.ts';
import { findReadCause } from './archivedFiles.ts';
import {
  isStopRequested,
  type FileFailure,
  type FileToMove,
  type JobResult,
  type JobSignal,
  type MoveSide,
} from './fileJobs.ts';
import {
  FolderRoute,
  type RouteCapabilities,
  type RouteOptions,
  type TransferredFiles,
  type TransferRoute,
} from './folderRoute.ts';
import type { TransferRecordFile } from './journal.ts';
import { claimStoreFolder, isOwnStoreFolder, listChosenFolder } from './storeClaim.ts';
import { chooseManifestName, generateManifest } from './manifest.ts';
import { getMismatchCause } from './moveSides.ts';
import {
  createFullSuspension,
  createLossError,
  createRenameFailure,
  createSuspension,
  hasRoom,
  toRouteError,
  TransferFailure,
  TransferSuspension,
} from './transferErrors.ts';

interface StoreRouteOptions extends RouteOptions {
  readonly daemon: RcloneDaemon;
  /** Present if a transfer between folders runs on a cluster. */
  readonly cluster?: Cluster | undefined;
}

/** Maximum time to wait for the removal of unfinished files when a transfer ends. */
const discardLimitMs = 1_500;

/** The reason why a file can't be written, such as to the root of a remote that combines others. */
const noFolderCause = "its folder can't be created there; serve one of the folders in the destination instead";

/** S3 lists other values in place of the hashes of objects that it encrypts with a managed key. */
const encryptionHint =
  '; for S3 with SSE-KMS, set "server_side_encryption = aws:kms" in the rclone configuration and scan again';

/** Returns the route between two databases, which goes through rclone if either is a store. */
export function createRoute(options: StoreRouteOptions): TransferRoute {
  const isStore = [options.source, options.destination].some(({ location }) => location.remote !== undefined);
  if (isStore) return new StoreRoute(options);
  return options.cluster === undefined ? new FolderRoute(options) : new ClusterRoute(options, options.cluster);
}

/** Transfers files to, from, or between stores (D62: stores through rclone). */
class StoreRoute extends FolderRoute {
  private readonly daemon: RcloneDaemon;
  /** Sizes of the transfer's finished objects as of the last listing, by path relative to the transfer's folder. */
  private present: ReadonlyMap<string, number> = new Map();
  /** Identifies the current run. */
  private attempt = '';
  private features: { readonly source?: StoreFeatures | undefined; readonly destination?: StoreFeatures | undefined } =
    {};
  /** Present if both sides share a remote and its store can copy objects itself (D66: copies within a store). */
  private copyVerification: CopyVerification | undefined;

  constructor(options: StoreRouteOptions) {
    super(options);
    this.daemon = options.daemon;
  }

  override get capabilities(): RouteCapabilities {
    const mayWriteLate = this.destination.remote !== undefined;
    return { ...super.capabilities, canCountBytes: this.copyVerification === undefined, mayWriteLate };
  }

  override async prepare(): Promise<void> {
    this.attempt = randomBytes(4).toString('hex');
    const [from, to] = [this.source.remote, this.destination.remote];
    if (to === undefined) await this.claim();
    await this.runInStore(async (client) => {
      const [source, destination] = await Promise.all([from, to].map(async (remote) => await describe(client, remote)));
      if (destination?.canRename === false) throw createRenameFailure();
      this.features = { source, destination };
      if (to === undefined) return;
      if (destination !== undefined && areOnOneRemote(from, to))
        this.copyVerification = chooseVerification(to, destination);
      await this.findPresent(client, to);
      await this.claimStored(client, to);
    });
  }

  private async claimStored(client: StoreClient, remote: string): Promise<void> {
    const { transferId, folderName } = this.options;
    if (folderName !== undefined) await claimStoreFolder(client, { remote, transferId, folderName });
  }

  /** Lists the transfer's objects and removes unfinished ones. Returns false if abandoned requests may add more. */
  private async findPresent(client: StoreClient, remote: string): Promise<boolean> {
    const isIdle = await waitForAbandonedRequests(client, this.group);
    const unfinished = getUploadFolderName(this.options.transferId);
    const listed = listTransferFolder(client, remote, this.options);
    const [objects] = await Promise.all([listed, client.purge(remote, unfinished)]);
    const isUnfinished = (path: string): boolean => path.endsWith(`.part-${this.options.transferId}`);
    const isClaim = (path: string): boolean => path === this.claimPath;
    for (const { path } of objects) if (isUnfinished(path) && !isClaim(path)) await client.remove(remote, path);
    const finished = objects.filter(({ path }) => !isUnfinished(path));
    this.present = new Map(finished.map(({ path, bytes }) => [path.slice(this.folderName.length + 1), bytes]));
    return isIdle;
  }

  override async move(files: readonly FileToMove[], signal: JobSignal): Promise<JobResult> {
    const { source: from, destination: to } = this.features;
    const isWebServer = from !== undefined && isWeb(from);
    const source: MoveSide = { location: this.source, hash: from?.hashes[0], keptTimes: from?.keptTimes, isWebServer };
    const destination: MoveSide = { location: this.destination, hash: to?.hashes[0], keptTimes: to?.keptTimes };
    const listed = files.map((file) => ({ ...file, isPresent: this.present.has(file.path) }));
    const { attempt, copyVerification } = this;
    const run = { source, destination, attempt, copyVerification, files: listed, signal };
    return await this.runWithRclone(async (rclone) => await this.runMove({ ...run, rclone }));
  }

  override async findLost(files: readonly FileToMove[], signal: JobSignal): Promise<JobResult> {
    const { remote } = this.destination;
    if (remote === undefined) return await super.findLost(files, signal);
    return { done: [], lost: await this.findLostObjects(remote, files, signal) };
  }

  private async findLostObjects(
    remote: string,
    files: readonly FileToMove[],
    signal: JobSignal,
  ): Promise<readonly number[]> {
    const unlisted = files.filter(({ path, bytes }) => this.present.get(path) !== bytes);
    if (unlisted.length === 0 || this.present.size === 0) return unlisted.map(({ position }) => position);
    const lost: number[] = [];
    await this.runInStore(async (client) => {
      for (const file of unlisted)
        if (!isStopRequested(signal) && !(await this.isStored(client, remote, file))) lost.push(file.position);
    });
    return lost;
  }

  /** Returns true if the destination has a file of the expected size, even under another form of its name. */
  private async isStored(
    client: StoreClient,
    remote: string,
    { path, bytes }: Pick<FileToMove, 'path' | 'bytes'>,
  ): Promise<boolean> {
    if (this.present.get(path) === bytes) return true;
    const object = await client.stat(remote, `${this.folderName}/${path}`, undefined);
    return object?.bytes === bytes;
  }

  override async finish(transferred: TransferredFiles, signal: AbortSignal): Promise<boolean> {
    const { remote } = this.destination;
    if (remote === undefined) return await super.finish(transferred, signal);
    const { record, files } = transferred;
    const isIdle = await this.runInStore(async (client) => {
      // An upload from a killed run can create its object after this run has started.
      const isIdle = await this.findPresent(client, remote);
      await this.requireDistinct(client, remote, files);
      await this.requirePresent(client, remote, files);
      return isIdle;
    });
    const { source, destination } = this.options;
    const content = { record, source: source.document, destination: destination.document, files };
    const text = Buffer.from([...generateManifest(content)].join(''));
    const isRemoved = await this.uploadManifest(remote, chooseManifestName(record.id, files), text, signal);
    return isIdle && isRemoved;
  }

  /**
   * Throws a failure if one file has replaced another because the store doesn't distinguish their names. rclone cannot
   * detect this for some stores, such as SFTP servers.
   */
  private async requireDistinct(
    client: StoreClient,
    remote: string,
    files: readonly TransferRecordFile[],
  ): Promise<void> {
    for (const { path, listedPath } of findUnlisted(files, this.present.keys())) {
      const object = await client.stat(remote, `${this.folderName}/${path}`, undefined);
      const text = `the destination doesn't distinguish its name from ${listedPath}`;
      if (object !== undefined) throw new TransferFailure({ operation: 'write', path, text });
    }
  }

  /** Throws a suspension or, after too many attempts, a failure if a file is missing or has a different size. */
  private async requirePresent(
    client: StoreClient,
    remote: string,
    files: readonly TransferRecordFile[],
  ): Promise<void> {
    for (const file of files)
      if (!(await this.isStored(client, remote, file))) throw createLossError(file.path, this.attempts);
  }

  override async discard(manifestName: string): Promise<boolean> {
    const { transferId, folderName } = this.options;
    const { remote } = this.destination;
    const remove = async (): Promise<boolean> =>
      remote === undefined
        ? await super.discard(manifestName)
        : (await discardInStore(this.daemon, { remote, transferId, folderName, manifest: manifestName })) !== 'failed';
    let isRemoved = false;
    const removal = remove().then((result) => (isRemoved = result));
    // A store may finish a copy after its request was canceled.
    const mayCopy = areOnOneRemote(this.source.remote, remote);
    return (await settlesWithin(systemClock, discardLimitMs, removal)) && !mayCopy && isRemoved;
  }

  override async toTransferError(failure: FileFailure, file: TransferRecordFile): Promise<unknown> {
    const { operation, store } = failure;
    const { path, bytes } = file;
    const isFull = store === 'full' && operation !== 'read';
    if (isFull) return createFullSuspension(bytes);
    if (store === 'full' || store === 'unreachable') return createSuspension(operation, this.explain(failure));
    const outage = await this.findOutage(failure);
    if (outage !== undefined) return createSuspension(operation, outage);
    const explained = failure.text === undefined ? failure : { ...failure, text: this.explain(failure) };
    if (store === undefined) return await super.toTransferError(explained, file);
    const cause = await this.findReadCause(failure, path);
    const text = cause ?? this.explain(failure);
    const problem = { operation, path, text };
    if (cause === archivedCause) return new TransferFailure(problem);
    if (await this.isFull(failure, bytes)) return createFullSuspension(bytes);
    const mayPass = (store === 'broken' || store === 'failed') && this.attempts.countFailure(path);
    return mayPass ? new TransferSuspension(problem) : new TransferFailure(problem);
  }

  /** Returns the reason for a failure, with a hint where a setting for S3 is a likely remedy. */
  private explain({ operation, text = '' }: FileFailure): string {
    if (operation === 'write' && text === missingParentCause) return noFolderCause;
    const { source, destination } = this.features;
    const differsFromSource = text === getMismatchCause('md5') && isS3(source);
    const differsInStore = text === differingCause && [source, destination].some(isS3);
    return differsFromSource || differsInStore ? `${text}${encryptionHint}` : text;
  }

  private get source(): DatabaseLocation {
    return this.options.source.location;
  }

  private get destination(): DatabaseLocation {
    return this.options.destination.location;
  }

  private get folderName(): string {
    return getTransferFolderName(this.options.transferId, this.options.folderName);
  }

  /** The mark of a folder whose name was chosen. */
  private get claimPath(): string {
    return `${this.folderName}/${getClaimName(this.options.transferId)}`;
  }

  /** Names this transfer's requests in the statistics of rclone. */
  private get group(): string {
    return getTransferFolderName(this.options.transferId);
  }

  /** Returns the reason, such as rejected credentials, why the whole store is unusable; undefined if none is found. */
  private async findOutage({ operation, store }: FileFailure): Promise<string | undefined> {
    const { remote } = operation === 'read' ? this.source : this.destination;
    if (store === 'broken' || remote === undefined) return undefined;
    return await withStoreClient(this.daemon, async (client) => {
      await client.requireReachable(remote);
      return undefined;
    }).catch((error: unknown) => {
      return error instanceof StoreError && error.kind === 'unreachable' ? error.message : undefined;
    });
  }

  /** Returns true if writing failed without a known cause and the store has too little free space for the file. */
  private async isFull({ operation, store }: FileFailure, bytes: number): Promise<boolean> {
    const { remote } = this.destination;
    if (store !== 'failed' || operation === 'read' || remote === undefined) return false;
    const freeBytes = await withStoreClient(this.daemon, async (client) => await client.getFreeBytes(remote)).catch(
      () => undefined,
    );
    return freeBytes !== undefined && freeBytes < bytes;
  }

  private async findReadCause({ operation, store }: FileFailure, path: string): Promise<string | undefined> {
    const { remote } = this.source;
    if (operation !== 'read' || (store !== 'failed' && store !== 'refused') || remote === undefined) return undefined;
    return await findReadCause(this.daemon, remote, path);
  }

  /** Uploads the manifest and removes the unfinished objects. Returns false if some of them remain. */
  private async uploadManifest(remote: string, name: string, text: Buffer, signal: AbortSignal): Promise<boolean> {
    const part = `manifest.part-${this.options.transferId}`;
    const pieces = (async function* (): AsyncGenerator<Buffer> {
      yield await Promise.resolve(text);
    })();
    return await this.runInStore(async (client) => {
      const object = { folder: this.folderName, name: part, bytes: text.length, isHashed: true };
      await client.write(remote, object, pieces, signal);
      await client.remove(remote, `${this.folderName}/${name}`);
      await client.rename(remote, `${this.folderName}/${part}`, `${this.folderName}/${name}`, signal);
      const isRemoved = await client.purge(remote, getUploadFolderName(this.options.transferId));
      if (this.options.folderName !== undefined) await client.remove(remote, this.claimPath);
      return isRemoved;
    });
  }

  private async runInStore<T>(work: (client: StoreClient) => Promise<T>): Promise<T> {
    return await this.runWithRclone(async (rclone) => await withClient(rclone, work, this.group));
  }

  private async runWithRclone<T>(work: (rclone: RcloneAddress) => Promise<T>): Promise<T> {
    try {
      return await this.daemon.use(work);
    } catch (error) {
      throw toRouteError(error);
    }
  }
}

function isS3(store: StoreFeatures | undefined): boolean {
  return store?.description.startsWith('S3 ') === true;
}

/** A file that may have been replaced by another one with a similar name. */
interface UnlistedFile {
  readonly path: string;
  /** The similar path in the listing. */
  readonly listedPath: string;
}

/**
 * Returns the files that are missing from a listing, probably because files with similar paths replaced them. Similar
 * paths differ only in case or normalization. Ignores a group of similar paths if the listing contains none of them, or
 * at least as many similar paths as the group.
 */
function findUnlisted(files: readonly TransferRecordFile[], listed: Iterable<string>): readonly UnlistedFile[] {
  const groups = groupSimilar(files.map(({ path }) => path));
  if (groups.size === 0) return [];
  const listedGroups = groupSimilar(listed, 1);
  return [...groups].flatMap(([key, paths]) => {
    const [listedPath, ...others] = listedGroups.get(key) ?? [];
    if (listedPath === undefined || 1 + others.length >= paths.length) return [];
    return paths.filter((path) => path !== listedPath && !others.includes(path)).map((path) => ({ path, listedPath }));
  });
}

/** Groups paths by their folded form. Leaves out groups with fewer than `minCount` paths. */
function groupSimilar(paths: Iterable<string>, minCount = 2): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const path of paths) {
    const key = foldPath(path);
    const group = groups.get(key);
    if (group) group.push(path);
    else groups.set(key, [path]);
  }
  return new Map([...groups].filter(([, group]) => group.length >= minCount));
}

async function describe(client: StoreClient, remote: string | undefined): Promise<StoreFeatures | undefined> {
  return remote === undefined ? undefined : await client.getFeatures(remote);
}

function areOnOneRemote(source: string | undefined, destination: string | undefined): boolean {
  if (source === undefined || destination === undefined) return false;
  return getRemoteName(source) === getRemoteName(destination);
}

async function listTransferFolder(
  client: StoreClient,
  remote: string,
  { transferId, folderName }: { readonly transferId: string; readonly folderName?: string | undefined },
): Promise<readonly StoreObject[]> {
  if (folderName !== undefined) return await listChosenFolder(client, remote, folderName);
  return await client.list(remote, getTransferFolderName(transferId));
}

interface StoreLeftovers {
  readonly remote: string;
  readonly transferId: string;
  /** The chosen name of the transfer's folder, if any. */
  readonly folderName?: string | undefined;
  /** Name of the manifest to remove; empty to keep it. */
  readonly manifest: string;
}

/**
 * The result of a removal: `failed` if the store is unavailable or unfinished objects remain; `incomplete` if more of
 * them may appear, because rclone is still uploading, or is used by other work and can't close its connections.
 */
export type Removal = 'complete' | 'incomplete' | 'failed';

/** Removes a transfer's unfinished objects and its manifest from a store; complete objects remain. */
export async function discardInStore(daemon: RcloneDaemon, leftovers: StoreLeftovers): Promise<Removal> {
  const { remote, transferId, folderName, manifest } = leftovers;
  const folder = getTransferFolderName(transferId, folderName);
  const claim = `${folder}/${getClaimName(transferId)}`;
  const work = async (client: StoreClient): Promise<Removal> => {
    const isIdle = await waitForAbandonedRequests(client, getTransferFolderName(transferId));
    const canClose = isIdle && !daemon.isShared;
    if (canClose) await closeConnections(client);
    const objects = await listTransferFolder(client, remote, leftovers).catch((error: unknown) => {
      if (error instanceof TransferFailure) return [];
      throw error;
    });
    const isOwn =
      folderName === undefined ||
      (objects.length > 0 && (await isOwnStoreFolder(client, { remote, transferId, folderName })));
    const isLeftover = ({ path }: StoreObject): boolean =>
      path.endsWith(`.part-${transferId}`) || (isOwn && path === `${folder}/${manifest}`);
    const leftover = objects.filter((object) => isLeftover(object) && object.path !== claim);
    for (const { path } of leftover) await client.remove(remote, path);
    const isRemoved = await client.purge(remote, getUploadFolderName(transferId));
    // The mark comes last, so that an interrupted removal is continued.
    const isMarked = objects.some(({ path }) => path === claim);
    if (isMarked) await client.remove(remote, claim);
    // Some stores reject this request if the folder doesn't exist. A folder that remains has no unfinished objects.
    const canRemoveFolder = (isOwn || isMarked) && objects.every(isLeftover);
    if (canRemoveFolder) await client.removeEmptyFolders(remote, folder).catch(throwIfUnreachable);
    if (!isRemoved) return 'failed';
    return canClose ? 'complete' : 'incomplete';
  };
  return await withStoreClient(daemon, work).catch(() => 'failed');
}

/**
 * Makes rclone close its connections to all stores. rclone doesn't close the object of a failed upload, and some SFTP
 * servers, such as rclone's own, hide a removed object until then and create it afterwards; others keep its space. rclone
 * would keep connections that are in use open for another minute.
 */
async function closeConnections(client: StoreClient): Promise<void> {
  await client.call('fscache/clear', {});
}

function throwIfUnreachable(error: unknown): void {
  if (!(error instanceof StoreError) || error.kind === 'unreachable') throw error;
}

async function withStoreClient<T>(daemon: RcloneDaemon, work: (client: StoreClient) => Promise<T>): Promise<T> {
  return await daemon.use(async (rclone) => await withClient(rclone, work));
}

async function withClient<T>(
  rclone: RcloneAddress,
  work: (client: StoreClient) => Promise<T>,
  group?: string,
): Promise<T> {
  const client = new StoreClient(rclone, 2, group);
  try {
    return await work(client);
  } finally {
    client.dispose();
  }
}

/** Returns true if both databases are available and the destination isn't known to have too little free space. */
export async function canResume(
  daemon: RcloneDaemon,
  { source, destination }: { readonly source: ServedDatabase; readonly destination: ServedDatabase },
  suspension: TransferSuspension,
  transferId: string,
): Promise<boolean> {
  const { neededBytes } = suspension;
  if (!(await hasRoom(source.location.folder, destination.location.folder, neededBytes))) return false;
  if (!(await suspension.canContinue())) return false;
  const [from, to] = [source.location.remote, destination.location.remote];
  const remotes = [from, to].flatMap((remote) => remote ?? []);
  if (remotes.length === 0) return true;
  return await withStoreClient(daemon, async (client) => {
    await Promise.all(remotes.map(async (remote) => await client.requireReachable(remote)));
    const freeBytes = to === undefined ? undefined : await client.getFreeBytes(to);
    if (freeBytes === undefined || freeBytes >= neededBytes) return true;
    if (suspension.hasClosedStores || daemon.isShared) return false;
    if (!(await waitForAbandonedRequests(client, getTransferFolderName(transferId)))) return false;
    await closeConnections(client);
    suspension.hasClosedStores = true;
    return false;
  }).catch(() => false);
}
