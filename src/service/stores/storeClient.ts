import * as http from 'node:http';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod/mini';
import { parseJsonObject } from '../../core/util/json.ts';
import { escapePattern, foreignAnswerCause, joinRemotePath } from '../../core/util/remote.ts';
import { getParentFolder } from '../catalog/catalogFile.ts';
import {
  createCutOffError,
  createEndError,
  createUnknownError,
  isConnectionError,
  StoreError,
  toConnectionStoreError,
  toStoreError,
} from './storeError.ts';
import { findAbsentRemote, findKnownTime, parseStoreFeatures, type StoreFeatures } from './storeFeatures.ts';

/** An object in a store. */
export interface StoreObject {
  readonly path: string;
  readonly bytes: number;
  /** The requested hash, in hex; undefined if none was requested or the store has none for the object. */
  readonly hash: string | undefined;
  /** In milliseconds since 1970, with fractions; undefined if it wasn't requested or the store doesn't know it. */
  readonly modifiedMs: number | undefined;
  /** Such as `text/html; charset=utf-8`; absent if it wasn't requested or the store doesn't know it. */
  readonly mediaType?: string | undefined;
}

const listedObjectSchema = z.object({
  Path: z.string(),
  Size: z.number(),
  ModTime: z.optional(z.string()),
  MimeType: z.optional(z.string()),
  Hashes: z.nullish(z.record(z.string(), z.string())),
});

/** Parses rclone's description of an object, with the hash of an algorithm; undefined if invalid. */
function toStoreObject(item: unknown, hash?: string): StoreObject | undefined {
  const parsed = z.safeParse(listedObjectSchema, item);
  if (!parsed.success) return undefined;
  const { Path, Size, Hashes, ModTime = '', MimeType } = parsed.data;
  const hex = hash === undefined ? undefined : Hashes?.[hash];
  // rclone returns an empty hash for an object that has none.
  const modifiedMs = findKnownTime(parseTime(ModTime));
  return { path: Path, bytes: Size, hash: hex === '' ? undefined : hex, modifiedMs, mediaType: MimeType };
}

/** Parses a time in RFC 3339 with up to nine digits of fractions; NaN if it is invalid. */
function parseTime(text: string): number {
  const fraction = /\.\d+/.exec(text)?.[0] ?? '';
  return Date.parse(text.replace(fraction, '')) + Number(`0${fraction}`) * 1_000;
}

function formatTime(modifiedMs: number): string {
  const nanoseconds = Math.floor((modifiedMs - Math.floor(modifiedMs)) * 1e6);
  return new Date(modifiedMs).toISOString().replace('Z', `${String(nanoseconds).padStart(6, '0')}Z`);
}

/** The port, credentials and paths of a running rclone process. */
export interface RcloneAddress {
  readonly port: number;
  /** The value of the `Authorization` header. */
  readonly authorization: string;
  /** A private folder for local files that rclone reads and writes. */
  readonly stagingFolder: string;
  /** The path of the rclone executable, for commands that rclone's remote control doesn't support. */
  readonly program: string;
}

interface ListOptions {
  /** The algorithm of the hash to include. */
  readonly hash?: string | undefined;
  /** Additional fields of the request. */
  readonly more?: object;
}

/** The state of a group's requests. */
interface GroupStats {
  /** True while an object is being transferred or compared. */
  readonly isActive: boolean;
  /** Text that changes whenever rclone transfers data, completes an operation or reports an error. */
  readonly progress: string;
}

interface WrittenContent {
  readonly folder: string;
  readonly name: string;
  readonly bytes: number;
  /** True to have rclone verify the object against the store's hash; for objects that the caller doesn't verify. */
  readonly isHashed?: boolean;
  /** Modification time, in milliseconds since 1970, which many stores take with the content. */
  readonly modifiedMs?: number | undefined;
}

const danglingCause = 'it is a link to a file that no longer exists';
const maxErrorChars = 8_192;

/** Reads and writes objects in stores through a running rclone process. Requests in one `group` share statistics. */
export class StoreClient {
  readonly group: string | undefined;
  private readonly address: RcloneAddress;
  private readonly agent: http.Agent;

  constructor(address: RcloneAddress, maxSockets: number, group?: string) {
    this.address = address;
    this.group = group;
    this.agent = new http.Agent({ keepAlive: true, maxSockets });
  }

  /** Closes the shared connections, which ends their requests. */
  dispose(): void {
    this.agent.destroy();
  }

  /** Reads an object, starting at an offset. Throws {@link StoreError}, possibly after some pieces have been read. */
  async *read(remote: string, path: string, from: number, signal: AbortSignal): AsyncGenerator<Buffer> {
    yield* this.readRange(remote, path, { from }, signal);
  }

  /**
   * Reads the bytes of an object from `from` up to `to`, or to its end. Throws as {@link read} does. A store that ignores
   * ranges sends more of an object that is read from its start.
   */
  async *readRange(
    remote: string,
    path: string,
    { from, to }: { readonly from: number; readonly to?: number },
    signal: AbortSignal,
  ): AsyncGenerator<Buffer> {
    const last = to === undefined ? '' : to - 1;
    const headers = from === 0 && to === undefined ? {} : { Range: `bytes=${from}-${last}` };
    const target = `/${encodeURIComponent(`[${remote}]`)}/${path.split('/').map(encodeURIComponent).join('/')}`;
    const response = await this.send('GET', target, { headers, signal }).catch(async (error: unknown) => {
      throw (await this.isDanglingLink(remote, path, error, signal)) ? new StoreError('missing', danglingCause) : error;
    });
    // Not `broken`, so that a partial file is removed, and the next attempt reads from the start.
    if (from > 0 && response.statusCode !== 206)
      throw new StoreError('failed', 'the store ignores the requested range');
    try {
      for await (const piece of response) yield piece as Buffer;
    } catch {
      signal.throwIfAborted();
      throw createCutOffError();
    }
  }

  private async isDanglingLink(remote: string, path: string, error: unknown, signal: AbortSignal): Promise<boolean> {
    if (!(error instanceof StoreError) || error.kind !== 'missing') return false;
    // Only SFTP servers list such links.
    const { keptTimes } = await this.getFeatures(remote);
    if (keptTimes !== 'from1970') return false;
    const filter = { _filter: { IncludeRule: [`/${escapePattern(path)}`] } };
    const request = { fs: remote, remote: getParentFolder(path), opt: toListOptions(undefined), ...filter };
    const { list } = await this.call('operations/list', request, signal);
    return Array.isArray(list) && list.some((item) => toStoreObject(item)?.path === path);
  }

  /**
   * Writes an object piece by piece. Its name may contain only ASCII letters, digits, `.`, `-` and `_`. Throws
   * {@link StoreError}. rclone doesn't hash an object that the caller verifies, because some servers would have to read
   * the whole object again.
   */
  async write(
    remote: string,
    object: WrittenContent,
    pieces: AsyncIterable<Buffer>,
    signal: AbortSignal,
  ): Promise<void> {
    const boundary = `part-${object.name}`;
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${object.name}"\r\n\r\n`;
    const tail = `\r\n--${boundary}--\r\n`;
    const options = { IgnoreChecksum: true, ...toTimeOptions(object.modifiedMs) };
    const config = object.isHashed === true ? {} : { _config: JSON.stringify(options) };
    const fields = new URLSearchParams({ fs: remote, remote: object.folder, ...config });
    if (this.group !== undefined) fields.set('_group', this.group);
    const target = `/operations/uploadfile?${fields.toString()}`;
    const headers = {
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
      'Content-Length': String(head.length + object.bytes + tail.length),
    };
    const body = async function* (): AsyncGenerator<Buffer | string> {
      yield head;
      yield* pieces;
      yield tail;
    };
    await readBody(await this.send('POST', target, { headers, signal, body: body() }), createEndError, signal);
  }

  /** Returns an object, with its time and type and, if the store has it, the requested hash; undefined if there is none. */
  async stat(
    remote: string,
    path: string,
    hash: string | undefined,
    signal?: AbortSignal,
  ): Promise<StoreObject | undefined> {
    const body = { fs: remote, remote: path, opt: { ...toListOptions(hash), noModTime: false, noMimeType: false } };
    const { item } = await this.call('operations/stat', body, signal);
    return toStoreObject(item, hash);
  }

  /**
   * Sets the modification time of an object that took none with its content. rclone's remote control has no request for
   * this, but runs the command. A store that can't keep the time leaves it.
   */
  async setModified(remote: string, path: string, modifiedMs: number, signal: AbortSignal): Promise<void> {
    const timestamp = formatTime(modifiedMs).slice(0, -1);
    const arg = ['--no-create', `--timestamp=${timestamp}`, joinRemotePath(remote, path)];
    await this.call('core/command', { command: 'touch', arg }, signal);
  }

  /** Reads a store's features. Throws {@link StoreError} on failure. */
  async getFeatures(remote: string): Promise<StoreFeatures> {
    const features = parseStoreFeatures(await this.call('operations/fsinfo', { fs: remote }));
    if (features === undefined) throw new StoreError('failed', 'rclone did not report its features');
    return features;
  }

  /** Lists the objects below a folder. Returns an empty list if the folder doesn't exist. */
  async list(
    remote: string,
    path: string,
    { hash, more }: ListOptions = {},
    signal?: AbortSignal,
  ): Promise<StoreObject[]> {
    const opt = { ...toListOptions(hash), recurse: true };
    try {
      const { list } = await this.call('operations/list', { fs: remote, remote: path, opt, ...more }, signal);
      return Array.isArray(list) ? list.flatMap((item) => toStoreObject(item, hash) ?? []) : [];
    } catch (error) {
      if (error instanceof StoreError && error.kind === 'missing') return [];
      throw error;
    }
  }

  /** Renames an object within a store. Replaces an existing object at `to`. */
  async rename(remote: string, from: string, to: string, signal?: AbortSignal): Promise<void> {
    await this.call('operations/movefile', { srcFs: remote, srcRemote: from, dstFs: remote, dstRemote: to }, signal);
  }

  /** Removes an object; does nothing if there is none. */
  async remove(remote: string, path: string): Promise<void> {
    await this.call('operations/deletefile', { fs: remote, remote: path }).catch((error: unknown) => {
      if (!(error instanceof StoreError && error.kind === 'missing')) throw error;
    });
  }

  /** Removes the empty folders below a folder, and the folder itself if it is empty. */
  async removeEmptyFolders(remote: string, path: string): Promise<void> {
    await this.call('operations/rmdirs', { fs: remote, remote: path });
  }

  /** Returns the number of free bytes; undefined if the store doesn't report it or the request fails. */
  async getFreeBytes(remote: string): Promise<number | undefined> {
    const { free } = await this.call('operations/about', { fs: remote }).catch(() => ({ free: undefined }));
    return typeof free === 'number' ? free : undefined;
  }

  /**
   * Rejects with a {@link StoreError} if a store can't be reached, or its server doesn't answer as a store. Lists a
   * folder that doesn't exist, because S3 explains why it rejects a listing, but not why it rejects a request for an
   * object.
   */
  async requireReachable(remote: string): Promise<void> {
    await this.list(remote, '.dts-reachable');
    const absent = findAbsentRemote(remote, await this.getFeatures(remote));
    if (absent === undefined) return;
    const isListed = await this.call('operations/list', { fs: absent, remote: '' }).then(
      () => true,
      () => false,
    );
    if (isListed) throw new StoreError('unreachable', foreignAnswerCause);
  }

  /** Sends a request without a body and returns the status code of the response. */
  async probe(method: string, path: string): Promise<number> {
    const response = await this.request(method, encodeURI(path), {});
    response.resume();
    return response.statusCode ?? 0;
  }

  /** Removes a folder with its objects. Returns false if some remain. Throws {@link StoreError}. */
  async purge(remote: string, path: string): Promise<boolean> {
    try {
      await this.call('operations/purge', { fs: remote, remote: path });
      return true;
    } catch (error) {
      if (!(error instanceof StoreError) || error.kind === 'unreachable') throw error;
      // Stores report a missing folder in many ways.
      return (await this.list(remote, path)).length === 0;
    }
  }

  /** Calls an rclone method and returns the response. Throws {@link StoreError} on failure. */
  async call(
    method: string,
    body: object,
    signal?: AbortSignal,
    agent: http.Agent | false = this.agent,
  ): Promise<Readonly<Record<string, unknown>>> {
    const content = Buffer.from(JSON.stringify({ ...body, _group: this.group }));
    const headers = { 'Content-Type': 'application/json', 'Content-Length': String(content.length) };
    const response = await this.send('POST', `/${method}`, { headers, signal, body: [content], agent });
    return parseJsonObject(await readBody(response, createEndError, signal)) ?? {};
  }

  /** Reads a group's state over a separate connection, in case all shared ones are busy. Throws {@link StoreError}. */
  async getStats(group = this.group): Promise<GroupStats> {
    const stats = await this.call('core/stats', { group }, undefined, false);
    const { transferring, checking, bytes, checks, deletes, renames, transfers, errors } = stats;
    const isActive = [transferring, checking].some((list) => Array.isArray(list) && list.length > 0);
    return { isActive, progress: [bytes, checks, deletes, renames, transfers, errors].join() };
  }

  /** Sends a request. Throws {@link StoreError} for every response that isn't successful. */
  private async send(method: string, target: string, options: RequestOptions): Promise<http.IncomingMessage> {
    const response = await this.request(method, target, options);
    const status = response.statusCode ?? 0;
    if (status >= 200 && status < 300) return response;
    // For an object that rclone can't open, the response may be shorter than its Content-Length.
    const body = await readBody(response, createUnknownError, options.signal);
    throw toStoreError(body.slice(0, maxErrorChars));
  }

  private async request(method: string, path: string, options: RequestOptions): Promise<http.IncomingMessage> {
    const { port, authorization } = this.address;
    const { headers = {}, body = [], signal, agent = this.agent } = options;
    const request = http.request({
      host: '127.0.0.1',
      port,
      method,
      path,
      agent,
      headers: { ...headers, Authorization: authorization },
      ...(signal && { signal }),
    });
    const response = new Promise<http.IncomingMessage>((resolve, reject) => {
      request.once('response', resolve).once('error', reject);
      // A request whose body fails is closed without an error.
      request.once('close', () => reject(createEndError()));
    });
    const sent = pipeline(body, request).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    return await this.settle(response, sent, signal);
  }

  /** Waits for the response. An error in the body's source takes precedence over the resulting connection error. */
  private async settle(
    response: Promise<http.IncomingMessage>,
    sent: Promise<{ readonly error: unknown } | undefined>,
    signal: AbortSignal | undefined,
  ): Promise<http.IncomingMessage> {
    try {
      return await response;
    } catch (error) {
      signal?.throwIfAborted();
      const failure = await sent;
      if (failure !== undefined && !isConnectionError(failure.error)) throw failure.error;
      throw isConnectionError(error) ? toConnectionStoreError(error) : error;
    }
  }
}

interface RequestOptions {
  readonly headers?: http.OutgoingHttpHeaders;
  readonly body?: AsyncIterable<Buffer | string> | Iterable<Buffer>;
  readonly signal?: AbortSignal | undefined;
  /** False to open a separate connection. */
  readonly agent?: http.Agent | false;
}

/** Reads a response. Throws the signal's reason, or the error from `createError` if the response is cut off. */
async function readBody(
  response: http.IncomingMessage,
  createError: () => StoreError,
  signal: AbortSignal | undefined,
): Promise<string> {
  try {
    return await text(response);
  } catch {
    signal?.throwIfAborted();
    throw createError();
  }
}

/** Returns an upload's options with a modification time; rclone otherwise compares with the time of the request. */
function toTimeOptions(modifiedMs: number | undefined): object {
  return modifiedMs === undefined ? {} : { SizeOnly: true, MetadataSet: { mtime: formatTime(modifiedMs) } };
}

/** Returns options for describing objects, without details that may need a request each, except the hash. */
function toListOptions(hash: string | undefined): object {
  const lean = { noModTime: true, noMimeType: true, filesOnly: true };
  return hash === undefined ? lean : { ...lean, showHash: true, hashTypes: [hash] };
}

const pollMs = 50;
const defaultLimitMs = 3_000;

/**
 * Waits until rclone has finished all requests in a group. Returns false if the time limit is exceeded first. rclone
 * continues an upload even if its request was aborted, and may create the object much later. Throws {@link StoreError}
 * if rclone can't be reached.
 */
export async function waitForAbandonedRequests(
  client: StoreClient,
  group: string,
  limitMs = defaultLimitMs,
): Promise<boolean> {
  for (let waitedMs = 0; (await client.getStats(group)).isActive; waitedMs += pollMs) {
    if (waitedMs >= limitMs) return false;
    await setTimeout(pollMs);
  }
  return true;
}
