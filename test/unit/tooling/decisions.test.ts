import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');

/** The decisions of docs/protocol.md about the client and the extension, and those beside them that they must keep. */
const decisions = [
  ...Array.from({ length: 19 }, (_, place) => `D${String(place + 1)}`),
  ...['D27', 'D28', 'D31'],
  ...Array.from({ length: 12 }, (_, place) => `D${String(place + 34)}`),
];

/** The rows of §4.8 in docs/protocol.md. */
const rows = Array.from({ length: 17 }, (_, place) => `§4.8 row ${String(place + 1)}`);

/** Every line of a test that has a title or a part of one, without what only its comments say. */
function linesOfTests(): string {
  const files = globSync('test/**/*.test.ts', { cwd: root }).filter((file) => !file.endsWith('decisions.test.ts'));
  const lines = files.flatMap((file) => readFileSync(join(root, file), 'utf8').split('\n'));
  return lines.filter((line) => /['"`]/.test(line) && !/^\s*(?:\/\/|\/?\*)/.test(line)).join('\n');
}

function unnamed(names: readonly string[]): readonly string[] {
  const lines = linesOfTests();
  return names.filter((name) => !new RegExp(`${name}(?!\\d)`).test(lines));
}

describe('What docs/protocol.md decides', () => {
  const protocol = readFileSync(join(root, 'docs', 'protocol.md'), 'utf8');

  it('has the decisions that are looked for', () => {
    assert.deepEqual(
      decisions.filter((name) => !protocol.includes(`#### ${name} `)),
      [],
    );
  });

  it('is named by at least one test, decision by decision', () => {
    assert.deepEqual(unnamed(decisions), []);
  });

  it('is named by at least one test, row by row of §4.8', () => {
    assert.equal(protocol.match(/^\| \d+ +\|/gm)?.length, rows.length);
    assert.deepEqual(unnamed(rows), []);
  });
});
