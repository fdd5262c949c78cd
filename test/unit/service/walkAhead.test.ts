import assert from 'node:assert/strict';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { walkAhead, type FolderReader, type WalkBatch } from '../../../src/service/catalog/folderReader.ts';
import { handleCalls, ThreadCalls } from '../../../src/service/threads/threadCalls.ts';

const batchCount = 10;

/** Creates the handlers of a thread whose walk has ten batches, each with its number as a warning. */
function createHandlers(): object {
  let given = 0;
  const createBatch = (): WalkBatch => ({
    files: [],
    folders: [],
    leftOut: [],
    described: [],
    warnings: [String(++given)],
  });
  return {
    walk: () => 1,
    next: () => (given < batchCount ? createBatch() : undefined),
    stop: () => undefined,
  };
}

describe('Walking ahead through a message port', () => {
  let port1: MessagePort;
  let port2: MessagePort;

  beforeEach(() => ({ port1, port2 } = new MessageChannel()));

  afterEach(() => port1.close());

  it('sends the request for another batch before it yields a batch', async () => {
    handleCalls(port2, createHandlers());
    let sentCount = 0;
    const post = port1.postMessage.bind(port1);
    port1.postMessage = (requests: { readonly method: string }[]) => {
      sentCount += requests.filter(({ method }) => method === 'next').length;
      post(requests);
    };
    const calls = new ThreadCalls<FolderReader>(port1);
    const reader = {
      ready: async () => await calls.call('ready'),
      walk: async () => await calls.call('walk', '', ''),
      next: async () => await calls.call('next', 1),
      stop: async () => await calls.call('stop', 1),
      inspectPaths: async () => await calls.call('inspectPaths', '', []),
    };
    const taken: string[] = [];
    const ahead: number[] = [];
    for await (const { warnings } of walkAhead(reader, '', '')) {
      taken.push(...warnings);
      ahead.push(sentCount - taken.length);
    }
    assert.deepEqual(
      taken,
      [...Array(batchCount).keys()].map((index) => String(index + 1)),
    );
    assert.deepEqual(ahead, Array(batchCount).fill(4));
  });
});
