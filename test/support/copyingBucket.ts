import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { digest, OddBucket, respond, type BucketRequest } from './oddBucket.ts';

interface Upload {
  readonly headers: Readonly<Record<string, string>>;
  readonly parts: Map<number, Buffer>;
}

/** An S3 server that supports server-side copies, whole or in parts. Tests can make it corrupt the copies. */
export class CopyingBucket extends OddBucket {
  /**
   * Selects the copies that contain zeros instead of the content: none, those made in parts, or all. Only copies to the
   * keys of unfinished objects (`.part-`) are affected.
   */
  wrongCopies: 'none' | 'in pieces' | 'all' = 'none';
  /**
   * True if the ETags of objects written in one piece aren't MD5 hashes, as for objects encrypted with a
   * customer-provided key.
   */
  isEncrypted = false;
  private readonly uploads = new Map<string, Upload>();

  /** Starts a server with one object that rclone appears to have uploaded in parts. The metadata contains its MD5. */
  static async startWithNote(key: string, content: Buffer): Promise<CopyingBucket> {
    const bucket = new CopyingBucket({});
    const note = Buffer.from(digest(content), 'hex').toString('base64');
    bucket.put(key, content, { etag: `${digest(content)}-3`, headers: { 'x-amz-meta-md5chksum': note } });
    await bucket.listen();
    return bucket;
  }

  /**
   * Returns the content of an object, or undefined if it doesn't exist. Unlike a synchronous call to rclone, this
   * method doesn't block the process, which also runs the server.
   */
  getContent(key: string): Buffer | undefined {
    return this.objects.get(key)?.content;
  }

  protected override write(request: BucketRequest, response: ServerResponse): void {
    const { method, query } = request;
    if (method === 'DELETE') this.remove(request.key, response);
    else if (method === 'PUT' && query.has('partNumber')) this.writePart(request, response);
    else if (method === 'PUT') this.writeWhole(request, response);
    else if (query.has('uploads')) this.startUpload(request, response);
    else this.completeUpload(request, response);
  }

  private remove(key: string, response: ServerResponse): void {
    this.objects.delete(key);
    respond(response, 204, '');
  }

  private writePart(request: BucketRequest, response: ServerResponse): void {
    const part = this.readContent(request, this.wrongCopies !== 'none');
    this.uploads.get(request.query.get('uploadId') ?? '')?.parts.set(Number(request.query.get('partNumber')), part);
    response.setHeader('ETag', `"${digest(part)}"`);
    respond(response, 200, `<CopyPartResult><ETag>"${digest(part)}"</ETag></CopyPartResult>`);
  }

  private writeWhole(request: BucketRequest, response: ServerResponse): void {
    const content = this.readContent(request, this.wrongCopies === 'all');
    const etag = this.isEncrypted ? randomBytes(16).toString('hex') : digest(content);
    const original = this.objects.get(readSource(request.headers) ?? '');
    this.put(request.key, content, { etag, headers: original?.headers ?? readMetadata(request.headers) });
    response.setHeader('ETag', `"${etag}"`);
    respond(response, 200, `<CopyObjectResult><ETag>"${etag}"</ETag></CopyObjectResult>`);
  }

  private readContent({ key, headers, body }: BucketRequest, isWrong: boolean): Buffer {
    const source = readSource(headers);
    if (source === undefined) return body;
    const [, from = 0, to = Infinity] = /^bytes=(\d+)-(\d+)/.exec(String(headers['x-amz-copy-source-range'])) ?? [];
    const content = this.objects.get(source)?.content.subarray(Number(from), Number(to) + 1) ?? Buffer.of();
    return isWrong && key.includes('.part-') ? Buffer.alloc(content.length) : content;
  }

  private startUpload({ key, headers }: BucketRequest, response: ServerResponse): void {
    const id = randomBytes(8).toString('hex');
    this.uploads.set(id, { headers: readMetadata(headers), parts: new Map() });
    const fields = `<Bucket>odd</Bucket><Key>${key}</Key><UploadId>${id}</UploadId>`;
    respond(response, 200, `<InitiateMultipartUploadResult>${fields}</InitiateMultipartUploadResult>`);
  }

  private completeUpload({ key, query }: BucketRequest, response: ServerResponse): void {
    const { headers, parts } = this.uploads.get(query.get('uploadId') ?? '') ?? { parts: new Map<number, Buffer>() };
    const content = Buffer.concat([...parts].sort(([a], [b]) => a - b).map(([, part]) => part));
    const etag = `${digest(content)}-${parts.size}`;
    this.put(key, content, { etag, ...(headers && { headers }) });
    respond(response, 200, `<CompleteMultipartUploadResult><ETag>"${etag}"</ETag></CompleteMultipartUploadResult>`);
  }
}

function readSource(headers: IncomingHttpHeaders): string | undefined {
  const source = headers['x-amz-copy-source'];
  return typeof source === 'string' ? decodeURIComponent(source).replace(/^\/?odd\//, '') : undefined;
}

function readMetadata(headers: IncomingHttpHeaders): Record<string, string> {
  const entries = Object.entries(headers).filter(([name]) => name.startsWith('x-amz-meta-'));
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}
