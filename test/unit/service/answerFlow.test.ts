import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { AnswerFlow } from '../../../src/service/http/answerFlow.ts';

/** The answer to somebody who reads nothing: what is written is never drained. */
class UnreadAnswer extends EventEmitter {
  destroyed = false;

  write(): boolean {
    return false;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

describe('The flow of answers (D26)', () => {
  it('does not fill the memory with answers that nobody reads: the readers that stood still longest are given up', async () => {
    const flow = new AnswerFlow(60_000, 6_500_000);
    const answers = Array.from({ length: 30 }, () => new UnreadAnswer());
    const body = Buffer.alloc(1_000_000);
    const written = answers.map(async (answer) => await flow.write(answer as unknown as ServerResponse, body));
    assert.deepEqual(
      answers.map(({ destroyed }) => destroyed),
      answers.map((_, place) => place < 24),
    );
    for (const answer of answers) answer.destroy();
    await Promise.all(written);
  });
});
