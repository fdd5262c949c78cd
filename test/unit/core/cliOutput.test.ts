import assert from 'node:assert/strict';
import { Output } from '../../../src/cli/output.ts';

const escape = '\u001B[2J';

/** Returns a stream that collects written text; it poses as a terminal if `isTTY` is true. */
function createStream(isTTY: boolean): { readonly stream: NodeJS.WriteStream; readonly getText: () => string } {
  let text = '';
  const write = (piece: string): boolean => {
    text += piece;
    return true;
  };
  return { stream: { isTTY, columns: 80, write } as unknown as NodeJS.WriteStream, getText: () => text };
}

describe('The output of the command line', () => {
  const stderr = createStream(true);

  it('escapes in JSON what could change how a terminal displays it, and keeps the value', () => {
    const document = { message: `${escape}\u007F\u009B2J\u061C\u200E\u2029\u202E\u2066 é 👩\u200D🔬` };
    const stdout = createStream(false);
    new Output({ stdout: stdout.stream, stderr: stderr.stream }, true).print(document, () => '');
    assert.match(stdout.getText(), /\\u001b\[2J\\u007f\\u009b2J\\u061c\\u200e\\u2029\\u202e\\u2066 é 👩\u200D🔬/);
    assert.deepEqual(JSON.parse(stdout.getText()), document);
  });

  for (const [isTerminal, path] of [
    [true, '\\u001b[2J/a\t\\u000d\\u009bb\\u202e'],
    [false, `${escape}/a\t\r\u009Bb\u202E`],
  ] as const)
    it(`writes other text with${isTerminal ? 'out' : ''} control characters to a ${isTerminal ? 'terminal' : 'pipe'}`, () => {
      const stdout = createStream(isTerminal);
      new Output({ stdout: stdout.stream, stderr: stderr.stream }, false).write(`${escape}/a\t\r\u009Bb\u202E\r\n`);
      assert.equal(stdout.getText(), `${path}\r\n`);
    });

  it('shows progress without control characters', () => {
    const terminal = createStream(true);
    const output = new Output({ stdout: terminal.stream, stderr: terminal.stream }, false);
    output.showProgress(`${escape}busy\u202E\nnow`, 0.5);
    assert.equal(terminal.getText(), `\r\u001B[K[##########----------] 50% [2Jbusy now`);
  });
});
