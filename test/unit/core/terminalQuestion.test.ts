import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { askToType } from '../../../src/cli/agents/planActions.ts';

describe('A question in a terminal (D64)', () => {
  /** Prompts the user to type 3, and then types `typed`. Resolves to true if the answer was accepted. */
  const answer = async (typed: string, signal = new AbortController().signal): Promise<boolean> => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const terminal = { input: Object.assign(input, { isTTY: true }), output: Object.assign(output, { isTTY: true }) };
    const answered = askToType(terminal as never, 'Type 3: ', '3', signal);
    input.write(typed);
    return await answered;
  };

  it('is answered by the expected text only', async () => {
    assert.deepEqual([await answer(' 3 \r'), await answer('yes\r'), await answer('\r')], [true, false, false]);
  });

  it('is not answered by Ctrl+C or by the end of the input', async () => {
    assert.deepEqual([await answer('\u0003'), await answer('\u0004')], [false, false]);
  });

  it('rejects if the command is interrupted', async () => {
    await assert.rejects(answer('3', AbortSignal.abort()), { name: 'AbortError' });
  });
});
