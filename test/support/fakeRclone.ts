import { createHash } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { RcloneAddress } from '../../src/service/stores/storeClient.ts';

/** The fields of a request to rclone's remote control. */
export interface RcloneBody {
  readonly fs?: string;
  readonly remote?: string;
  readonly srcFs?: string;
  readonly srcRemote?: string;
  readonly dstFs?: string;
  readonly dstRemote?: string;
  readonly opt?: { readonly hashTypes?: readonly string[] };
  readonly _config?: Readonly<Record<string, unknown>>;
  readonly _filter?: { readonly FilesFromRaw?: readonly string[] };
}

/** An object in a response, with the requested hashes by algorithm. */
interface DescribedObject {
  readonly path: string;
  readonly bytes: number;
  readonly hashes: Readonly<Record<string, string>>;
}

interface RcloneRequest {
  /** The method of the remote control, or `read` for a request that reads an object. */
  readonly method: string;
  readonly body: RcloneBody;
}

/**
 * Replaces the normal response to a request. `fail` responds with {@link FakeRclone.failure}, `drop` closes the
 * connection, `cut` closes it after half of an object, and `whole` sends a whole object even if only a range was
 * requested.
 */
type Intervention = 'fail' | 'drop' | 'cut' | 'whole' | undefined;

const missing = { status: 404, error: 'object not found' };

/** Simulates rclone's remote control, with stores in memory. Local folders are real. */
export class FakeRclone {
  /** The content of each object by its location, such as `lab:from/a.txt`. */
  readonly objects = new Map<string, Buffer>();
  readonly requests: RcloneRequest[] = [];
  /** The hash algorithm of the stores; undefined for stores without hashes. */
  hash: string | undefined = 'md5';
  /** Called before each request is handled. Can change the stores and return an intervention. */
  intervene: (request: RcloneRequest) => Intervention | Promise<Intervention> = () => undefined;
  /** Returns the description of an object to send in a response. Tests replace it to send a different one. */
  describe: (object: DescribedObject) => DescribedObject = (object) => object;
  /** The response to a request for which `intervene` returns `fail`. */
  failure = { status: 500, error: 'something is wrong' };
  private readonly server: Server;
  private readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.server = createServer((request, response) => void this.respond(request, response));
  }

  static async start(): Promise<FakeRclone> {
    const rclone = new FakeRclone(await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-rclone-')));
    await once(rclone.server.listen(0, '127.0.0.1'), 'listening');
    return rclone;
  }

  get address(): RcloneAddress {
    const { port } = this.server.address() as AddressInfo;
    return { port, authorization: 'Basic eDp5', stagingFolder: this.folder, program: '' };
  }

  /** The methods of all requests, in order. */
  get methods(): readonly string[] {
    return this.requests.map(({ method }) => method);
  }

  /** The locations of all objects, sorted. */
  get places(): readonly string[] {
    return [...this.objects.keys()].sort();
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await fs.rm(this.folder, { recursive: true });
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const content = await buffer(request).catch(() => undefined);
    if (content === undefined) return;
    const parsed = parseRequest(request, content);
    this.requests.push(parsed);
    const intervention = await this.intervene(parsed);
    if (intervention === 'drop') response.destroy();
    else if (intervention === 'fail') this.fail(response);
    else if (intervention === 'cut') this.sendHalf(response, parsed.body);
    else if (intervention === 'whole') this.sendObject(response, parsed.body);
    else if (parsed.method === 'read') this.sendObject(response, parsed.body, request.headers.range);
    else if (parsed.method === 'operations/uploadfile') this.upload(response, parsed.body, content);
    else await this.call(response, parsed);
  }

  private fail(response: ServerResponse, { status, error } = this.failure): void {
    sendJson(response.writeHead(status), { status, error });
  }

  private sendObject(response: ServerResponse, body: RcloneBody, range = ''): void {
    const content = this.objects.get(toPlace(body.fs, body.remote));
    if (!content) {
      this.fail(response, missing);
      return;
    }
    const from = Number(/bytes=(\d+)-/.exec(range)?.[1] ?? 0);
    response.writeHead(from > 0 ? 206 : 200).end(content.subarray(from));
  }

  private sendHalf(response: ServerResponse, body: RcloneBody): void {
    const content = this.objects.get(toPlace(body.fs, body.remote)) ?? Buffer.of();
    response.writeHead(200, { 'Content-Length': content.length });
    response.write(content.subarray(0, content.length / 2), () => response.destroy());
  }

  private upload(response: ServerResponse, body: RcloneBody, content: Buffer): void {
    const head = content.indexOf('\r\n\r\n') + 4;
    const name = /filename="([^"]*)"/.exec(content.subarray(0, head).toString())?.[1] ?? '';
    this.objects.set(toPlace(body.fs, `${body.remote}/${name}`), content.subarray(head, content.lastIndexOf('\r\n--')));
    sendJson(response, {});
  }

  private async call(response: ServerResponse, { method, body }: RcloneRequest): Promise<void> {
    const path = body.remote ?? '';
    if (method === 'operations/deletefile' && !this.objects.has(toPlace(body.fs, path))) {
      this.fail(response, missing);
      return;
    }
    if (method === 'operations/fsinfo') {
      sendJson(response, { Hashes: this.hash === undefined ? [] : [this.hash], Features: { Move: true } });
      return;
    }
    const described =
      method === 'operations/list' ? { list: await this.list(body) } : { item: this.stat(body, path) ?? null };
    if (method === 'operations/deletefile') this.objects.delete(toPlace(body.fs, path));
    if (method.startsWith('sync/')) await this.sync(body, method === 'sync/move');
    if (method === 'operations/movefile') this.move(body);
    if (method === 'operations/purge') this.purge(toPlace(body.fs, path));
    sendJson(response, described);
  }

  private async list(body: RcloneBody): Promise<readonly object[]> {
    const listed = await readLists(body);
    const start = toPlace(body.fs, body.remote === '' ? '' : `${body.remote}/`);
    const root = toPlace(body.fs, '').length;
    const paths = this.places.filter((place) => place.startsWith(start)).map((place) => place.slice(root));
    return paths.filter((path) => listed?.has(path) ?? true).flatMap((path) => this.stat(body, path) ?? []);
  }

  private stat({ fs: remote, opt }: RcloneBody, path: string): object | undefined {
    const content = this.objects.get(toPlace(remote, path));
    if (!content) return undefined;
    const names = this.hash !== undefined && opt?.hashTypes?.includes(this.hash) ? [this.hash] : [];
    const hashes = Object.fromEntries(names.map((name) => [name, createHash(name).update(content).digest('hex')]));
    const { bytes, hashes: shown } = this.describe({ path, bytes: content.length, hashes });
    return { Path: path, Size: bytes, Hashes: shown };
  }

  private async sync(body: RcloneBody, isMove: boolean): Promise<void> {
    for (const path of (await readLists(body)) ?? []) {
      const content = await this.read(toPlace(body.srcFs, path));
      if (!content) continue;
      await this.write(toPlace(body.dstFs, path), content);
      if (isMove) this.objects.delete(toPlace(body.srcFs, path));
    }
  }

  private move({ srcFs, srcRemote, dstFs, dstRemote }: RcloneBody): void {
    const content = this.objects.get(toPlace(srcFs, srcRemote));
    this.objects.delete(toPlace(srcFs, srcRemote));
    if (content) this.objects.set(toPlace(dstFs, dstRemote), content);
  }

  private purge(folder: string): void {
    for (const place of this.places) if (place.startsWith(`${folder}/`)) this.objects.delete(place);
  }

  private async read(place: string): Promise<Buffer | undefined> {
    return place.startsWith('/') ? await fs.readFile(place).catch(() => undefined) : this.objects.get(place);
  }

  private async write(place: string, content: Buffer): Promise<void> {
    if (!place.startsWith('/')) this.objects.set(place, content);
    else {
      await fs.mkdir(nodePath.dirname(place), { recursive: true });
      await fs.writeFile(place, content);
      // rclone gives a file the modification time of its object, which is 1970 for objects in memory.
      await fs.utimes(place, 0, 0);
    }
  }
}

function parseRequest({ method, url = '' }: IncomingMessage, content: Buffer): RcloneRequest {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const [, remote = '', path = ''] = /^\/\[(.*?)\]\/(.*)$/s.exec(decodeURIComponent(pathname)) ?? [];
  if (method === 'GET') return { method: 'read', body: { fs: remote, remote: path } };
  const name = pathname.slice(1);
  if (name === 'operations/uploadfile') return { method: name, body: Object.fromEntries(searchParams) };
  return { method: name, body: JSON.parse(content.toString()) as RcloneBody };
}

function sendJson(response: ServerResponse, value: object): void {
  response.end(JSON.stringify(value));
}

/** Returns the location of a path in a remote or a folder. */
function toPlace(remote = '', path = ''): string {
  return remote.endsWith(':') || remote.endsWith('/') ? remote + path : `${remote}/${path}`;
}

/** Returns the paths in the filter lists of a request, or undefined if the request has no lists. */
async function readLists({ _filter: filter }: RcloneBody): Promise<ReadonlySet<string> | undefined> {
  if (!filter?.FilesFromRaw) return undefined;
  const texts = await Promise.all(filter.FilesFromRaw.map((file) => fs.readFile(file, 'utf8')));
  return new Set(texts.flatMap((text) => text.split('\n')).filter((path) => path !== ''));
}
