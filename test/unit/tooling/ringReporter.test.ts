import assert from 'node:assert/strict';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { formatEvent, ringMark } from '../../support/ringReporter.ts';

describe('The events of a ring', () => {
  it('are one line each, even if they contain separators at which readers may split lines', async () => {
    const event = { event: 'fail', title: 'a title', reason: 'line\nfeed, \u2028 and \u2029' } as const;
    const lines: string[] = [];
    const reader = createInterface({ input: Readable.from([`${formatEvent(event)}\n`]) });
    for await (const line of reader) lines.push(line);
    assert.equal(lines.length, 1);
    assert.deepEqual(JSON.parse(lines[0]?.slice(ringMark.length) ?? ''), event);
  });
});
