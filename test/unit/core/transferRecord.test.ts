import assert from 'node:assert/strict';
import { parseRecord, formatRecord } from '../../../src/core/transfers/recordFiles.ts';
import { submittingTransfer as transfer, order } from './specimens.ts';

describe('The record of a transfer', () => {
  it('is read as it was written', () => {
    const read = parseRecord(formatRecord(transfer));
    assert.deepEqual(read, { kind: 'transfer', transfer, record: { version: 1, transfer } });
  });

  it('preserves other fields of the record that it replaces', () => {
    const read = parseRecord(formatRecord(transfer, { version: 1, mood: 'good' }));
    assert.deepEqual(read, { kind: 'transfer', transfer, record: { version: 1, mood: 'good', transfer } });
  });

  it('has a later version if its version number is higher', () => {
    assert.deepEqual(parseRecord('{"version":2}'), { kind: 'later', version: 2 });
  });

  const record = (more: object): object => ({ version: 1, transfer: { ...transfer, ...more } });
  const ordered = (more: object): object => record({ order: { ...order, ...more } });
  const others: readonly (readonly [string, unknown])[] = [
    ['nothing', null],
    ['a list', [1]],
    ['a text', 'version'],
    ['without a version', { transfer }],
    ['of a version that is not an integer', { version: 1.5, transfer }],
    ['of a version that is a string', { version: '1', transfer }],
    ['of a version before the first', { version: 0, transfer }],
    ['without a transfer', { version: 1 }],
    ['with a list as the transfer', { version: 1, transfer: [] }],
    ['without a key', record({ key: undefined })],
    ['without the time of its creation', record({ createdAt: '1' })],
    ['with a creation time that no date has', record({ createdAt: 1e300 })],
    ['with a change at a time that no date has', record({ changes: [{ state: 'active', at: 1e300 }] })],
    ['without a state', record({ state: 1 })],
    ['without changes', record({ changes: {} })],
    ['without an order', record({ order: null })],
    ['without a connection', ordered({ connectionId: 1 })],
    ['without an ORCID iD', ordered({ orcid: undefined })],
    ['without a source', ordered({ source: null })],
    ['without a destination', ordered({ destination: undefined })],
    ['without files', ordered({ files: {} })],
  ];
  for (const [what, value] of others)
    it(`is unreadable: ${what}`, () => assert.deepEqual(parseRecord(JSON.stringify(value)), { kind: 'unreadable' }));

  it('is unreadable if it is incomplete', () => {
    assert.deepEqual(parseRecord(formatRecord(transfer).slice(0, 50)), { kind: 'unreadable' });
    assert.deepEqual(parseRecord(''), { kind: 'unreadable' });
  });
});
