import assert from 'node:assert/strict';
import { compareVersions } from '../../../src/extension/localService/serviceRecord.ts';

describe('Versions of the local service', () => {
  const rows: [one: string, other: string, order: number][] = [
    ['0.1.0', '0.1.0', 0],
    ['0.1.0', '0.2.0', -1],
    ['0.10.0', '0.9.9', 1],
    ['1.0', '1.0.1', -1],
    ['2.0.0', '1.9.9', 1],
  ];
  for (const [one, other, order] of rows) {
    it(`${one} compared with ${other} is ${['older', 'the same', 'newer'][order + 1] ?? ''}`, () => {
      assert.equal(Math.sign(compareVersions(one, other)), order);
    });
  }
});
