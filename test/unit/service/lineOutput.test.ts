import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { createLineOutput } from '../../../src/service/serviceLog.ts';

describe('The output of the log', () => {
  const line = `${'x'.repeat(1_023)}\n`;

  it('drops lines while too many are unread, and reports their number each time all are read', async () => {
    const stream = new PassThrough();
    const dropped: number[] = [];
    const write = createLineOutput(stream, (count) => {
      dropped.push(count);
      write('resumed\n');
    });
    for (let round = 1; round <= 2; round += 1) {
      let text = '';
      for (let number = 0; number < 1_000; number += 1) write(line);
      assert.ok(stream.writableLength + stream.readableLength < 400 * 1024);
      assert.equal(dropped.length, round - 1);
      stream.on('data', (chunk) => (text += String(chunk))).resume();
      while (!text.endsWith('resumed\n')) await setImmediate();
      stream.removeAllListeners('data').pause();
      const count = text.split(line).length - 1;
      assert.ok(count > 0);
      assert.deepEqual([dropped.length, dropped.at(-1)], [round, 1_000 - count]);
    }
  });

  it('writes every line that is read', async () => {
    const stream = new PassThrough();
    let length = 0;
    stream.on('data', (chunk: Buffer) => (length += chunk.length));
    const write = createLineOutput(stream, () => assert.fail('a line was dropped'));
    for (let number = 0; number < 1_000; number += 1) {
      write(line);
      if (number % 100 === 0) await setImmediate();
    }
    await setImmediate();
    assert.equal(length, 1_000 * line.length);
  });
});
