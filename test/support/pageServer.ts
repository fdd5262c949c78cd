import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A response of the server instead of its own, with a body or, if it is a redirect, to `/login`. */
interface Page {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A sign-in page that is valid XML. */
const markup = '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Sign in</title></head><body><p/></body></html>';

/** Pages that a network, a proxy or a service sends instead of the content of a store. */
export const pages = {
  xhtml: { status: 200, type: 'text/html', body: markup },
  redirect: { status: 302, type: 'text/html', body: '' },
  json: { status: 200, type: 'application/json', body: '{"login":true}' },
  html: { status: 200, type: 'text/html', body: '<!DOCTYPE html><meta charset="utf-8"><form action=/login>' },
  busy: { status: 429, type: 'text/plain', body: 'busy', headers: { 'Retry-After': '7' } },
} as const satisfies Readonly<Record<string, Page>>;

/** A WebDAV and S3 server with the bucket `lab`, which can send a page instead of any response. */
export class PageServer {
  /** The content of each object by its path. */
  readonly objects: Map<string, string>;
  page: Page | undefined;
  private readonly server: Server;

  private constructor(objects: Readonly<Record<string, string>>) {
    this.objects = new Map(Object.entries(objects));
    this.server = createServer((request, response) => this.respond(request, response));
  }

  static async start(objects: Readonly<Record<string, string>>): Promise<PageServer> {
    const server = new PageServer(objects);
    await once(server.server.listen(0, '127.0.0.1'), 'listening');
    return server;
  }

  /** rclone's configuration of the remotes `dav` and `s3`. */
  get sections(): string {
    const address = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    const s3 = 'access_key_id = key\nsecret_access_key = secret\nforce_path_style = true\nregion = us-east-1';
    return `[dav]\ntype = webdav\nvendor = other\nurl = ${address}\n[s3]\ntype = s3\nprovider = Other\n${s3}\nendpoint = ${address}\n`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private respond(request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    const { pathname } = new URL(request.url ?? '', 'http://localhost');
    const page = pathname === '/login' ? pages.xhtml : this.page;
    if (page !== undefined) this.send(response, page);
    else if (request.method === 'PROPFIND') this.describe(response, pathname.slice(1));
    else if (/^\/lab\/?$/.test(pathname)) this.list(response);
    else this.sendObject(response, pathname.replace(/^\/(?:lab\/)?/, ''));
  }

  private send(response: ServerResponse, { status, type, body, headers }: Page): void {
    const location = status === 302 ? { Location: '/login' } : {};
    response.writeHead(status, { 'Content-Type': type, ...headers, ...location }).end(body);
  }

  private describe(response: ServerResponse, path: string): void {
    if (path !== '' && !this.objects.has(path)) {
      response.writeHead(404).end();
      return;
    }
    const folder =
      '<d:response><d:href>/</d:href><d:propstat><d:prop><d:resourcetype><d:collection/></d:resourcetype></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>';
    const files = [...this.objects].filter(([name]) => path === '' || name === path);
    const items = files.map(
      ([name, text]) =>
        `<d:response><d:href>/${name}</d:href><d:propstat><d:prop><d:resourcetype/><d:getcontentlength>${text.length}</d:getcontentlength></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`,
    );
    response.writeHead(207, { 'Content-Type': 'application/xml' });
    response.end(
      `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:">${path === '' ? folder : ''}${items.join('')}</d:multistatus>`,
    );
  }

  private list(response: ServerResponse): void {
    const items = [...this.objects].map(
      ([name, text]) =>
        `<Contents><Key>${name}</Key><Size>${text.length}</Size><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>"x"</ETag></Contents>`,
    );
    response.writeHead(200, { 'Content-Type': 'application/xml' });
    response.end(
      `<?xml version="1.0"?><ListBucketResult><Name>lab</Name><IsTruncated>false</IsTruncated>${items.join('')}</ListBucketResult>`,
    );
  }

  private sendObject(response: ServerResponse, path: string): void {
    const text = this.objects.get(path);
    const modified = { 'Last-Modified': 'Thu, 01 Jan 2026 00:00:00 GMT' };
    if (text !== undefined) response.writeHead(200, { 'Content-Length': text.length, ...modified }).end(text);
    else response.writeHead(404, { 'Content-Type': 'application/xml' }).end('<Error><Code>NoSuchBucket</Code></Error>');
  }
}
