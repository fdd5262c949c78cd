import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { describeWithEachRclone } from '../support/rclones.ts';
import { StoreRig } from '../support/storeRig.ts';
import type { StatusBody } from '../support/transferClient.ts';

interface WebFile {
  readonly content: string;
  readonly type?: string;
  /** The header `Last-Modified`; absent if the server sends none. */
  readonly modified?: string | undefined;
}

const listedTime = 'Mon, 02 Nov 2026 10:00:00 GMT';
const laterTime = 'Tue, 03 Nov 2026 10:00:00 GMT';

/** A web server that lists its files, and answers with its page for others. */
class WebServer {
  readonly files = new Map<string, WebFile>();
  page: WebFile = { content: '' };
  private readonly server: Server = createServer(({ url = '' }, response) => {
    const name = url.slice(1);
    if (name === '')
      this.send(response, { content: [...this.files.keys()].map((one) => `<a href="${one}">`).join('') });
    else if (name.endsWith('/')) response.writeHead(404).end();
    else this.send(response, this.files.get(name) ?? this.page);
  });

  get address(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  async start(): Promise<void> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private send(response: ServerResponse, { content, type = 'text/html', modified }: WebFile): void {
    const length = Buffer.byteLength(content);
    const headers = { 'Content-Type': type, 'Content-Length': length, ...(modified && { 'Last-Modified': modified }) };
    // Node.js sends no content in reply to HEAD.
    response.writeHead(200, headers).end(content);
  }
}

describeWithEachRclone('A transfer from a web server (D62)', () => {
  let web: WebServer;
  let rig: StoreRig;
  beforeEach(async () => {
    web = new WebServer();
    await web.start();
    rig = await StoreRig.start([], {}, { isIdle: true, remotes: `[web]\ntype = http\nurl = ${web.address}\n` });
  });
  afterEach(async () => {
    await rig.stop();
    await web.stop();
  });

  /** Transfers files of the same size, after `change` has changed them. */
  async function transfer(files: Readonly<Record<string, WebFile>>, change: () => void): Promise<StatusBody> {
    for (const [name, file] of Object.entries(files)) web.files.set(name, file);
    await rig.startService({ gone: false, remotes: [{ name: 'Web', remote: 'web:' }] });
    const ids = (await rig.find('Web')).map(({ id }) => id);
    assert.equal(ids.length, Object.keys(files).length);
    change();
    return await rig.transfer('Web', 'folder', ids);
  }

  const csv = { content: 'a,b\n1,2\n', type: 'text/csv', modified: listedTime };
  const others = { 'b.csv': csv, 'c.csv': csv, 'd.csv': csv };
  const page = { content: 'No file.' };

  for (const [title, answered] of [
    ['without a time', page],
    ['with a time of its own', { ...page, modified: laterTime }],
  ] as const)
    for (const [where, files] of [
      ['', { 'a.csv': csv }],
      [' among others', { 'a.csv': csv, ...others }],
    ] as const)
      it(`does not take a page as large as a removed file${where} for it: ${title}`, async () => {
        web.page = answered;
        const { status, message } = await transfer(files, () => web.files.delete('a.csv'));
        assert.equal(status, 'failed', message);
        assert.match(message, /could not read a\.csv: it changed since it was listed/);
      });

  it('lists files without times if the server states none', async () => {
    web.files.set('a.csv', { ...csv, modified: undefined });
    web.files.set('b.csv', csv);
    await rig.startService({ gone: false, remotes: [{ name: 'Web', remote: 'web:' }] });
    const times = new Map((await rig.find('Web')).map(({ path, modified }) => [path, modified]));
    assert.deepEqual([times.get('a.csv'), times.get('b.csv')], [undefined, '2026-11-02T10:00:00.000Z']);
  });

  const newer = { ...csv, content: 'a,b\n3,4\n', modified: laterTime };
  for (const [title, before, after] of [
    ['a replaced file of the same size', { 'a.csv': csv }, newer],
    ['a page', { 'a.html': { ...page, modified: listedTime } }, { content: 'Replaced', modified: laterTime }],
    ['a file without a time', { 'a.csv': { ...csv, modified: undefined } }, newer],
  ] as const)
    it(`moves ${title} as the server sends it now`, async () => {
      const [name = ''] = Object.keys(before);
      const { id, status, message } = await transfer(before, () => web.files.set(name, after));
      assert.equal(status, 'succeeded', message);
      assert.equal(await readFile(join(rig.folder, `dts-${id}`, name), 'utf8'), after.content);
    });
});
