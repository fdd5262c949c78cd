import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { systemClock } from '../../../src/core/util/clock.ts';
import { differingCause } from '../../../src/core/util/remote.ts';
import type { RcloneDaemon } from '../../../src/service/stores/rcloneDaemon.ts';
import { createJobSignal, type JobResult, type MoveJob } from '../../../src/service/transfers/fileJobs.ts';
import { FileThreads } from '../../../src/service/transfers/fileThreads.ts';
import type { TransferRoute } from '../../../src/service/transfers/folderRoute.ts';
import type { TransferRecord } from '../../../src/service/transfers/journal.ts';
import { getMismatchCause } from '../../../src/service/transfers/moveSides.ts';
import { createRoute } from '../../../src/service/transfers/storeRoute.ts';
import { TransferFailure, TransferSuspension } from '../../../src/service/transfers/transferErrors.ts';

const transferId = '2c1d5e0a-0000-4000-8000-000000000003';

describe('The route of a transfer to a store', () => {
  let server: Server;
  let urls: URL[];
  /** Number of upcoming responses in which rclone still reports an abandoned upload as running. */
  let busyResponses: number;
  /** The objects that the store lists in the transfer's folder. `found` contains the objects that it finds by path. */
  let listed: readonly string[];
  let found: readonly string[];
  /** The features of the stores, as rclone reports them. */
  let description: string;
  /** The error with which rclone responds to uploads, if any. */
  let uploadError: string | undefined;

  beforeEach(async () => {
    urls = [];
    busyResponses = 0;
    [listed, found] = [[], []];
    uploadError = undefined;
    description = '';
    server = createServer((request, response) => {
      const url = new URL(request.url ?? '', 'http://localhost');
      urls.push(url);
      const isBusy = url.pathname === '/core/stats' && busyResponses-- > 0;
      if (url.pathname === '/operations/uploadfile' && uploadError !== undefined) response.statusCode = 500;
      void text(request).then((body) =>
        response.end(isBusy ? '{"transferring":[{"name":"a"}]}' : answer(url.pathname, body)),
      );
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  function answer(method: string, body: string): string {
    const toObject = (path: string): object => ({ Path: `dts-${transferId}/${path}`, Size: path.length });
    if (method === '/operations/fsinfo') return JSON.stringify({ String: description, Features: { Move: true } });
    if (method === '/operations/uploadfile') return JSON.stringify({ error: uploadError });
    if (method !== '/operations/stat') return JSON.stringify({ list: listed.map(toObject) });
    const path = found.find((one) => body.includes(`/${one}"`));
    return JSON.stringify({ item: path === undefined ? null : toObject(path) });
  }

  function routeBetween(from: string, to: string, threads = new FileThreads(systemClock)): TransferRoute {
    const { port } = server.address() as AddressInfo;
    const address = { port, authorization: 'Basic eDp5', stagingFolder: '', program: '' };
    const daemon = { use: async (work: Parameters<RcloneDaemon['use']>[0]) => await work(address) };
    const side = (remote: string) => ({
      document: { id: remote, name: remote, organization: '', url: '' },
      location: { remote },
    });
    return createRoute({
      transferId,
      source: side(from),
      destination: side(to),
      destinationPlace: undefined,
      isFlushed: false,
      threads,
      abandonment: new AbortController().signal,
      throttleBytesPerSecond: undefined,
      daemon: daemon as unknown as RcloneDaemon,
    });
  }

  async function finish(paths: readonly string[] = []): Promise<boolean> {
    const record: TransferRecord = {
      status: 'finalizing',
      id: transferId,
      orcid: '',
      sourceId: 'lab:a',
      destinationId: 'lab:b',
      fileCount: 0,
      sizeBytes: 0,
      createdAtMs: 1,
      message: '',
      movedCount: 0,
      isCancelRequested: false,
    };
    const files = paths.map((path, position) => {
      return { position, path, bytes: path.length, resource: { id: path }, isTransferred: true };
    });
    const requireFiles = async (): Promise<void> =>
      await Promise.reject(new Error('The store finds its files itself.'));
    const transferred = { record, files, requireFiles };
    return await routeBetween('lab:a', 'far:b').finish(transferred, new AbortController().signal);
  }

  it('has rclone verify the manifest, which the service does not read again (D62)', async () => {
    assert.equal(await finish(), true);
    const uploads = urls.filter(({ pathname }) => pathname === '/operations/uploadfile');
    assert.deepEqual(
      uploads.map(({ searchParams }) => searchParams.get('_config')),
      [null],
    );
  });

  it('checks for unfinished objects when rclone has ended the abandoned uploads (D62)', async () => {
    busyResponses = 3;
    assert.equal(await finish(), true);
    const methods = urls.map(({ pathname }) => pathname);
    assert.deepEqual(methods.slice(0, 5), [...Array<string>(4).fill('/core/stats'), '/operations/list']);
  });

  it('removes unfinished objects again later while rclone works on an abandoned upload (D62)', async () => {
    busyResponses = Infinity;
    const discarding = routeBetween('lab:a', 'far:b').discard('manifest.json');
    assert.deepEqual([await finish(), await discarding], [false, false]);
    // Both calls wait for 3 s, and poll every 50 ms.
    assert.equal(urls.filter(({ pathname }) => pathname === '/core/stats').length, 2 * 61);
  });

  it('fails, with the reason, if a copy in the store does not match the file (D62)', async () => {
    const file = { position: 0, path: 'a', bytes: 1, resource: { id: 'a' }, isTransferred: false };
    const failure = { position: 0, operation: 'copy', text: 'it changed after it was hashed' } as const;
    const error = await routeBetween('lab:a', 'far:b').toTransferError(failure, file);
    assert.ok(error instanceof TransferFailure);
    assert.equal(error.message, 'could not copy a: it changed after it was hashed');
  });

  for (const [kind, isHinted] of [
    ['S3 bucket lab', true],
    ['sftp://lab@example.com/data', false],
    ["Encrypted drive 'lab:'", false],
  ] as const)
    it(`names a setting for hashes that differ only for S3: ${kind} (D62)`, async () => {
      description = kind;
      const file = { position: 0, path: 'a', bytes: 1, resource: { id: 'a' }, isTransferred: false };
      const route = routeBetween('lab:a', 'far:b');
      await route.prepare();
      for (const failure of [
        { position: 0, operation: 'copy', text: getMismatchCause('md5') },
        { position: 0, operation: 'write', store: 'failed', text: differingCause },
      ] as const) {
        const error = await route.toTransferError(failure, file);
        assert.ok(error instanceof Error);
        assert.ok(error.message.includes(failure.text), error.message);
        assert.equal(error.message.includes('; for S3 with SSE-KMS, set'), isHinted, error.message);
      }
    });

  it('does not report the destination as full if it is the source that is full (D62)', async () => {
    const file = { position: 0, path: 'a', bytes: 1, resource: { id: 'a' }, isTransferred: false };
    const reported = { position: 0, store: 'full', text: 'it is full' } as const;
    const explain = async (operation: 'read' | 'write'): Promise<unknown> =>
      await routeBetween('lab:a', 'far:b').toTransferError({ ...reported, operation }, file);
    assert.deepEqual(
      [await explain('read'), await explain('write')],
      [
        new TransferSuspension("waiting: the source can't be used: it is full"),
        new TransferSuspension('waiting: the destination is full', 1),
      ],
    );
  });

  const tooLarge = "the server doesn't accept files of this size";

  it('fails if the server of the store refuses a file because of its size (D62)', async () => {
    const file = { position: 0, path: 'a', bytes: 1, resource: { id: 'a' }, isTransferred: false };
    const failure = { position: 0, operation: 'write', store: 'refused', text: tooLarge } as const;
    const error = await routeBetween('lab:a', 'far:b').toTransferError(failure, file);
    assert.deepEqual(error, new TransferFailure(`could not write a: ${tooLarge}`));
  });

  it('fails if the server of the store refuses the manifest because of its size (D62)', async () => {
    uploadError = '413 Request Entity Too Large';
    await assert.rejects(finish(), new TransferFailure(`could not write the manifest: ${tooLarge}`));
  });

  it('removes unfinished objects again later if the store may still be copying them itself (D66)', async () => {
    assert.equal(await routeBetween('lab:a', 'lab:b').discard('manifest.json'), false);
    assert.equal(await routeBetween('lab:a', 'far:b').discard('manifest.json'), true);
  });

  it('gives the unfinished objects of a run one folder, and those of the next run another (D62)', async () => {
    const jobs: MoveJob[] = [];
    const threads = {
      run: async (_name: string, job: MoveJob): Promise<JobResult> => {
        jobs.push(job);
        return await Promise.resolve({ done: [] });
      },
    };
    const route = routeBetween('lab:a', 'far:b', threads as unknown as FileThreads);
    for (const run of [1, 2]) {
      await route.prepare();
      for (const path of ['a', 'b'])
        await route.move([{ position: run, path, bytes: 1, sha256: '' }], createJobSignal());
    }
    const [first, second, third, fourth] = jobs.map(({ attempt }) => attempt);
    assert.match(first ?? '', /^[\da-f]{8}$/);
    assert.deepEqual([second, fourth], [first, third]);
    assert.notEqual(first, third);
  });

  it('does not treat files as lost whose names the store lists in another form (D25)', async () => {
    const names = ['é.txt', 'plain.txt', 'ö.txt', 'gone.txt'];
    [listed, found] = [['e\u0301.txt', 'plain.txt', 'o\u0308.txt'], names.slice(0, 2)];
    const route = routeBetween('lab:a', 'far:b');
    await route.prepare();
    const files = names.map((path, position) => ({ position, path, bytes: path.length, sha256: '' }));
    assert.deepEqual((await route.findLost(files, createJobSignal())).lost, [2, 3]);
    assert.equal(urls.filter(({ pathname }) => pathname === '/operations/stat').length, 3);
  });

  it('fails if the store ignores case, so that one file has replaced another (D24)', async () => {
    const files = ['data/A.txt', 'data/a.txt', 'b.txt'];
    listed = ['data/A.txt', 'b.txt'];
    found = files;
    const message = "could not write data/a.txt: the destination doesn't distinguish its name from data/A.txt";
    await assert.rejects(finish(files), new TransferFailure(message));
    listed = files;
    assert.equal(await finish(files), true);
  });

  it('waits for a file that is missing, even if the store lists one with a similar name (D24)', async () => {
    listed = found = ['A.txt'];
    const message =
      'waiting to try again: could not write a.txt: it is missing from the destination, or has a different size there';
    await assert.rejects(finish(['A.txt', 'a.txt']), new TransferSuspension(message));
  });

  it('succeeds if the store lists similar names in a form that it was not given (D25)', async () => {
    found = ['A.txt', 'a.txt'];
    listed = ['A_txt', 'a_txt'];
    assert.equal(await finish(found), true);
  });
});
