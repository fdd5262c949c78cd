import assert from 'node:assert/strict';
import { readRecord, writeRecord } from '../../../src/core/ledger/transferRecord.ts';
import { begun as transfer, order } from './specimens.ts';

describe('The record of a transfer', () => {
  it('is read as it was written', () => {
    const read = readRecord(writeRecord(transfer));
    assert.deepEqual(read, { kind: 'transfer', transfer, record: { version: 1, transfer } });
  });

  it('keeps what the record before had besides', () => {
    const read = readRecord(writeRecord(transfer, { version: 1, mood: 'good' }));
    assert.deepEqual(read, { kind: 'transfer', transfer, record: { version: 1, mood: 'good', transfer } });
  });

  it('is of a later version where its number is higher', () => {
    assert.deepEqual(readRecord('{"version":2}'), { kind: 'later', version: 2 });
  });

  const record = (more: object): object => ({ version: 1, transfer: { ...transfer, ...more } });
  const ordered = (more: object): object => record({ order: { ...order, ...more } });
  const others: readonly (readonly [string, unknown])[] = [
    ['nothing', null],
    ['a list', [1]],
    ['a text', 'version'],
    ['without a version', { transfer }],
    ['of a version that is no whole number', { version: 1.5, transfer }],
    ['of a version that is a text', { version: '1', transfer }],
    ['of a version before the first', { version: 0, transfer }],
    ['without a transfer', { version: 1 }],
    ['with a list for the transfer', { version: 1, transfer: [] }],
    ['without a key', record({ key: undefined })],
    ['without the time of its creation', record({ createdAt: '1' })],
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
    it(`is unreadable: ${what}`, () => assert.deepEqual(readRecord(JSON.stringify(value)), { kind: 'unreadable' }));

  it('is unreadable where it is torn', () => {
    assert.deepEqual(readRecord(writeRecord(transfer).slice(0, 50)), { kind: 'unreadable' });
    assert.deepEqual(readRecord(''), { kind: 'unreadable' });
  });
});
