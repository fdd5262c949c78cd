import assert from 'node:assert/strict';
import { isFileName } from '../../../src/service/transfers/destinationFiles.ts';

describe('A file name from a store (D24)', () => {
  for (const name of [
    'x\\..\\..\\evil.bat',
    'a\\b',
    'report.pdf:x.exe',
    'C:',
    'a?',
    'new\nline',
    'end.',
    'end ',
    'NUL',
    'nul.txt',
    'com1',
    'Lpt9.log',
    'CON .txt',
    'COM²',
  ]) {
    it(`isn't written on Windows: ${JSON.stringify(name)}`, () => {
      assert.equal(isFileName(name, 'win32'), false);
      assert.equal(isFileName(name, 'linux'), true);
    });
  }

  for (const name of [
    'a.txt',
    '.hidden',
    'console.log',
    'nullable.csv',
    'com10',
    'a b',
    'é',
    'a..b',
    '~',
    '$(touch x)',
  ]) {
    it(`is written on Windows: ${name}`, () => {
      assert.equal(isFileName(name, 'win32'), true);
    });
  }
});
