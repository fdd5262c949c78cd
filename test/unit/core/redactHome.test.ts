import assert from 'node:assert/strict';
import { redactHome } from '../../../src/core/util/redact.ts';

describe('The path to the home folder', () => {
  for (const [home, text, redacted] of [
    ['/home/ann', "no file '/home/ann/data/a.csv' in /home/ann.", "no file '~/data/a.csv' in ~."],
    ['/home/ann/', '/home/ann/a.csv', '~/a.csv'],
    ['/home/ann (lab)+', 'file:///home/ann%20(lab)%2B/a', 'file:~/a'],
    ['/Users/Ann', '/users/ann/a.csv', '~/a.csv'],
    [String.raw`C:\Users\Ann`, String.raw`c:\Users\Ann\a.csv`, String.raw`~\a.csv`],
    [String.raw`C:\Users\Ann`, String.raw`"C:\\Users\\Ann\\a.csv"`, String.raw`"~\\a.csv"`],
    [String.raw`C:\Users\Ann`, 'c:/Users/Ann/a.csv, file:///c%3A/Users/Ann/a.csv', '~/a.csv, file:///~/a.csv'],
    ['/home/ann', '/home/anne/a.csv, /home/ann-2/b, /home/annä/c, /home/ann.b/d', undefined],
    [String.raw`\\server\home\ann`, String.raw`\\server\home\ann\a.csv`, String.raw`~\a.csv`],
  ] as const)
    it(`${home} is ${redacted === undefined ? 'not ' : ''}redacted in ${text}`, () =>
      assert.equal(redactHome(text, home), redacted ?? text));

  for (const home of ['/', '', 'C:\\'])
    it(`is not redacted if it is "${home}", which is part of every path`, () => {
      const text = String.raw`/data/a.csv, C:\data\a.csv`;
      assert.equal(redactHome(text, home), text);
    });
});
