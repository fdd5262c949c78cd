import assert from 'node:assert/strict';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import * as http from 'node:http';
import * as net from 'node:net';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { mock } from 'node:test';
import { ContentReader } from '../../../src/service/content/contentReader.ts';
import type { ContentRequest } from '../../../src/service/content/folderContent.ts';
import type { RcloneDaemon } from '../../../src/service/stores/rcloneDaemon.ts';
import { FileThreads } from '../../../src/service/transfers/fileThreads.ts';
import { ManualClock } from '../../support/manualClock.ts';

const whole: ContentRequest = { range: { from: 0 } };
const store = { remote: 'dav:' };

/** A folder is read without rclone. */
const noDaemon = undefined as unknown as RcloneDaemon;

describe('Reading the content of files within a time limit', () => {
  let clock: ManualClock;
  let reader: ContentReader | undefined;
  let server: http.Server | undefined;

  beforeEach(() => {
    clock = new ManualClock();
  });
  afterEach(async () => {
    mock.restoreAll();
    await reader?.close();
    server?.closeAllConnections();
    server?.close();
    reader = server = undefined;
  });

  /** Starts a stand-in for rclone that has an object of 1,000 bytes, and sends what `answer` does. */
  async function startStore(answer: (response: http.ServerResponse) => void): Promise<ContentReader> {
    server = http.createServer((request, response) => {
      const item = { Path: 'a', Size: 1_000, ModTime: '2024-01-01T00:00:00Z' };
      if (request.method === 'POST') response.end(JSON.stringify({ item }));
      else answer(response.writeHead(206));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = {
      port: (server.address() as net.AddressInfo).port,
      authorization: '',
      stagingFolder: '',
      program: '',
    };
    const daemon = { use: async (work: (given: object) => Promise<unknown>) => await work(address) };
    reader = new ContentReader(daemon as unknown as RcloneDaemon, clock);
    return reader;
  }

  it('keeps nothing that waits for the limit afterwards', async () => {
    const quick = await startStore((response) => response.end(Buffer.alloc(1_000)));
    const part = await quick.read(store, 'a', whole);
    assert.deepEqual([part.content?.length, clock.waitingCount], [1_000, 0]);
  });

  it('returns what a slow store has sent', async () => {
    const slow = await startStore((response) => {
      response.write(Buffer.alloc(10));
      void clock.pass(6_000).then(() => response.write(Buffer.alloc(10)));
    });
    const { content, totalBytes, from } = await slow.read(store, 'a', whole);
    assert.ok(content && content.length > 0 && content.length <= 20);
    assert.deepEqual([totalBytes, from], [1_000, 0]);
  });

  it('does not count the wait for an earlier request', async () => {
    const started = new EventTarget();
    const responses: http.ServerResponse[] = [];
    const slow = await startStore((response) => {
      responses.push(response);
      started.dispatchEvent(new Event('started'));
    });
    const reads = [1, 2].map(async () => await slow.read(store, 'a', whole));
    for (const index of [0, 1]) {
      if (responses[index] === undefined) await once(started, 'started');
      await clock.pass(14_000);
      responses[index]?.end(Buffer.alloc(1_000));
      await reads[index];
    }
    assert.deepEqual(
      (await Promise.all(reads)).map(({ totalBytes }) => totalBytes),
      [1_000, 1_000],
    );
  });

  it('says that the disk of a folder does not respond', async () => {
    mock.method(FileThreads.prototype, 'run', async () => await new Promise<never>(() => undefined));
    reader = new ContentReader(noDaemon, clock);
    const message = "The file can't be read: its disk doesn't respond.";
    const rejected = assert.rejects(reader.read({ folder: '/data' }, 'a', whole), { status: 409, message });
    await clock.pass(15_000);
    await rejected;
  });

  if (process.platform !== 'win32') {
    it('says that a socket is not a file', async () => {
      const folder = await fs.realpath(await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-content-')));
      const socket = net.createServer().listen(nodePath.join(folder, 'socket'));
      await once(socket, 'listening');
      reader = new ContentReader(noDaemon, clock);
      const message = "The file can't be read: it is not a regular file.";
      await assert.rejects(reader.read({ folder }, 'socket', whole), { status: 409, message });
      socket.close();
      await fs.rm(folder, { recursive: true });
    });
  }
});
