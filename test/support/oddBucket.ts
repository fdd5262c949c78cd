import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

const name = 'odd';
const pageSize = 1_000;

const attributesHeader = 'x-amz-optional-object-attributes';

/** An object of the bucket: its content, and the headers of the responses to its reads. */
export interface OddObject {
  readonly content: Buffer;
  readonly etag: string;
  /** Additional headers of the object. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A request that changes objects; `key` is the decoded key of the object. */
export interface BucketRequest {
  readonly method: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** An S3 server on loopback with one bucket, whose objects can have names that no real server would store. */
export class OddBucket {
  /** The bucket's remote in rclone's configuration. */
  readonly remote = `${name}:${name}`;
  /** True to reject listings with optional attributes, such as those of restored objects. */
  rejectsAttributes = false;
  /** True to reject every request, like AWS after a session token has expired. A HEAD request gets no error body. */
  isExpired = false;
  /** Number of GET requests that were answered with the content of an object. */
  reads = 0;
  protected readonly objects = new Map<string, OddObject>();
  private readonly server: Server;

  protected constructor(objects: Readonly<Record<string, string | Buffer>>) {
    for (const [key, content] of Object.entries(objects)) this.put(key, Buffer.from(content));
    this.server = createServer((request, response) => this.handle(request, response));
  }

  /** Starts a server with the given objects (key to content). */
  static async start(objects: Readonly<Record<string, string | Buffer>>): Promise<OddBucket> {
    const bucket = new OddBucket(objects);
    await bucket.listen();
    return bucket;
  }

  /** The bucket's section in the rclone configuration file. */
  get section(): string {
    const { port } = this.server.address() as AddressInfo;
    return [
      ...[`[${name}]`, 'type = s3', 'provider = Other', 'access_key_id = odd', 'secret_access_key = odd'],
      ...[`endpoint = http://127.0.0.1:${port}`, 'force_path_style = true', 'region = us-east-1', ''],
    ].join('\n');
  }

  delete(key: string): void {
    this.objects.delete(key);
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  protected async listen(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  /** Stores an object. Its ETag is its MD5, unless another one is given. */
  protected put(key: string, content: Buffer, { etag = digest(content), headers = {} }: Partial<OddObject> = {}): void {
    this.objects.set(key, { content, etag, headers });
  }

  /** Handles a request that changes objects. Refuses it unless a subclass overrides this method. */
  protected write(request: BucketRequest, response: ServerResponse): void {
    respond(response, 403, describeError(`${request.method}IsRefused`));
  }

  /** Returns the S3 error code to send instead of the content of an object; undefined to send the content. */
  protected findRefusal(_key: string, _object: OddObject): string | undefined {
    return undefined;
  }

  /** Handles a request. Parses the target without `URL`, which would resolve `..` in keys. */
  private handle(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url = '', headers } = request;
    const { range } = headers;
    const [path = '', query = ''] = url.split('?');
    const key = decodeURIComponent(path).slice(`/${name}/`.length);
    if (this.isExpired) respond(response, 400, method === 'HEAD' ? '' : describeError('ExpiredToken'));
    else if (method !== 'GET' && method !== 'HEAD')
      void buffer(request).then((body) =>
        this.write({ method, key, query: new URLSearchParams(query), headers, body }, response),
      );
    else if (key === '' && this.rejectsAttributes && attributesHeader in headers)
      respond(response, 501, describeError('NotImplemented'));
    else if (key === '') respond(response, 200, this.list(new URLSearchParams(query)));
    else this.read(response, key, method === 'GET', range);
  }

  private list(query: URLSearchParams): string {
    const [prefix, delimiter] = [query.get('prefix') ?? '', query.get('delimiter') ?? ''];
    const after = query.get('continuation-token') ?? query.get('marker') ?? '';
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    const isDeep = (key: string): boolean => delimiter !== '' && key.slice(prefix.length).includes(delimiter);
    const page = keys.filter((key) => key > after && !isDeep(key)).slice(0, pageSize);
    const deep = new Set(keys.filter(isDeep).map((key) => key.slice(0, key.indexOf('/', prefix.length) + 1)));
    const isLast = page.length < pageSize;
    return describeListing({ page, prefixes: isLast ? [...deep] : [], isLast }, this.objects);
  }

  private read(response: ServerResponse, key: string, hasBody: boolean, range: string | undefined): void {
    const object = this.objects.get(key);
    if (object === undefined) return respond(response, 404, hasBody ? describeError('NoSuchKey') : '');
    const refusal = hasBody ? this.findRefusal(key, object) : undefined;
    if (refusal !== undefined) return respond(response, 403, describeError(refusal));
    const { content, etag, headers } = object;
    const from = Number(/^bytes=(\d+)-/.exec(range ?? '')?.[1] ?? 0);
    if (hasBody) this.reads += 1;
    response.writeHead(range === undefined ? 200 : 206, {
      'Content-Length': content.length - from,
      'Content-Range': `bytes ${from}-${content.length - 1}/${content.length}`,
      'Last-Modified': modified.toUTCString(),
      ETag: `"${etag}"`,
      ...headers,
    });
    response.end(hasBody ? content.subarray(from) : undefined);
  }
}

const modified = new Date('2026-01-02T03:04:05Z');

/** Returns the MD5 of content in hexadecimal, which is the ETag of an object that was not uploaded in parts. */
export function digest(content: Buffer): string {
  return createHash('md5').update(content).digest('hex');
}

/** Sends a response with an XML body, which may be empty. */
export function respond(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'Content-Type': 'application/xml' }).end(body);
}

/** Returns the XML of an S3 error response. */
export function describeError(code: string): string {
  return `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`;
}

interface ListedPage {
  readonly page: readonly string[];
  readonly prefixes: readonly string[];
  readonly isLast: boolean;
}

function describeListing({ page, prefixes, isLast }: ListedPage, objects: ReadonlyMap<string, OddObject>): string {
  const next = escapeText(page.at(-1) ?? '');
  const more = `<NextMarker>${next}</NextMarker><NextContinuationToken>${next}</NextContinuationToken>`;
  const items = page.map((key) => {
    const { content, etag = '', headers = {} } = objects.get(key) ?? {};
    const tier = `<StorageClass>${headers['x-amz-storage-class'] ?? 'STANDARD'}</StorageClass>`;
    const fields = `<Size>${content?.length ?? 0}</Size><ETag>"${etag}"</ETag>${tier}`;
    const time = `<LastModified>${modified.toISOString()}</LastModified>`;
    return `<Contents><Key>${escapeText(key)}</Key>${fields}${time}</Contents>`;
  });
  const folders = prefixes.map((prefix) => `<CommonPrefixes><Prefix>${escapeText(prefix)}</Prefix></CommonPrefixes>`);
  const end = `<IsTruncated>${!isLast}</IsTruncated>${isLast ? '' : more}`;
  return `<?xml version="1.0"?><ListBucketResult>${[...items, ...folders].join('')}${end}</ListBucketResult>`;
}

function escapeText(text: string): string {
  return text.replace(/[&<>\n]/g, (character) => `&#${character.codePointAt(0)};`);
}
