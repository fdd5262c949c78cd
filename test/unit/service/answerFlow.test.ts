import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { ResponseWriter } from '../../../src/service/http/messageBodies.ts';

/** A response to a client that reads nothing, so that the response's buffer never drains. */
class UnreadResponse extends EventEmitter {
  destroyed = false;

  write(): boolean {
    return false;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

describe('The response writer (D26)', () => {
  it('limits the memory of unread responses by aborting those that stalled longest', async () => {
    const writer = new ResponseWriter(60_000, 6_500_000);
    const responses = Array.from({ length: 30 }, () => new UnreadResponse());
    const body = Buffer.alloc(1_000_000);
    const written = responses.map(async (response) => await writer.write(response as unknown as ServerResponse, body));
    assert.deepEqual(
      responses.map(({ destroyed }) => destroyed),
      responses.map((_, index) => index < 24),
    );
    for (const response of responses) response.destroy();
    await Promise.all(written);
  });

  it('aborts no other response for the body of one whose client has gone', async () => {
    const writer = new ResponseWriter(60_000, 6_500_000);
    const [unread, gone] = [new UnreadResponse(), new UnreadResponse()];
    const written = writer.write(unread as unknown as ServerResponse, Buffer.alloc(1_000_000));
    gone.destroy();
    await writer.write(gone as unknown as ServerResponse, Buffer.alloc(6_000_000));
    assert.equal(unread.destroyed, false);
    unread.destroy();
    await written;
  });
});
