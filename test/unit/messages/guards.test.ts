import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { toOpenableLink } from '../../../src/webviews/messages/pageMessages.ts';
import {
  isMetadataIntent,
  isMetadataHostMessage,
  isMetadataPageState,
} from '../../../src/webviews/messages/metadataMessages.ts';
import {
  isTransferIntent,
  isTransferHostMessage,
  isTransferPageState,
} from '../../../src/webviews/messages/transferMessages.ts';
import { pageTransfer } from '../../support/pageTransfer.ts';

const ref = { connectionId: 'c', database: 'Sample data', id: 'airports', name: 'airports.csv' };
const file = {
  kind: 'file',
  id: 'airports',
  database: 'Sample data',
  name: 'airports.csv',
  resource: { id: 'airports' },
};
const snapshot = { ref, kept: false, loading: false, found: file };
const words = { language: 'en' };

const transfer = pageTransfer({
  firstFiles: [{ id: '1', name: 'one' }],
  movement: [{ at: 1, moved: 0 }],
  estimate: { text: 'about 4 min', basis: 'based on 1 earlier transfer' },
});

describe('Messages of the metadata page', () => {
  for (const type of ['ready', 'copyId', 'copyHash', 'transfer', 'showJson', 'cite', 'keep', 'retry', 'remedy'])
    it(`accept the intent "${type}"`, () => assert.ok(isMetadataIntent({ type })));

  const invalidIntents = [
    undefined,
    null,
    7,
    'ready',
    [],
    {},
    { type: 'cancel' },
    { type: 'toString' },
    { type: ['ready'] },
  ];
  for (const intent of invalidIntents)
    it(`reject ${intent === undefined ? 'undefined' : JSON.stringify(intent)}`, () =>
      assert.ok(!isMetadataIntent(intent)));

  it('accept only links that may be opened', () => {
    assert.ok(isMetadataIntent({ type: 'openLink', address: 'https://doi.org/10.1000/182' }));
    assert.ok(!isMetadataIntent({ type: 'openLink', address: 'command:workbench.action.quit' }));
    assert.ok(!isMetadataIntent({ type: 'openLink' }));
  });

  it('accept a snapshot with a file, with an unreadable one, and without one', () => {
    assert.ok(isMetadataHostMessage({ type: 'start', words, snapshot }));
    assert.ok(
      isMetadataHostMessage({ type: 'snapshot', snapshot: { ...snapshot, found: { kind: 'unreadable', text: '{' } } }),
    );
    assert.ok(isMetadataHostMessage({ type: 'snapshot', snapshot: { ref, kept: true, loading: true } }));
  });

  it('reject a snapshot with a field of the wrong type', () => {
    assert.ok(
      !isMetadataHostMessage({ type: 'snapshot', snapshot: { ...snapshot, found: { ...file, sizeBytes: '7' } } }),
    );
    assert.ok(
      !isMetadataHostMessage({ type: 'snapshot', snapshot: { ...snapshot, found: { ...file, resource: [] } } }),
    );
    assert.ok(!isMetadataHostMessage({ type: 'start', snapshot }));
  });

  it('accept only a page state that the page saved', () => {
    assert.ok(isMetadataPageState({ ref, kept: true, found: file, receivedAt: 1 }));
    assert.ok(!isMetadataPageState({ ref: { ...ref, id: 7 }, kept: true }));
    assert.ok(!isMetadataPageState(undefined));
  });
});

describe('Messages of the transfer page', () => {
  it('accept the intents of the page, and no others', () => {
    assert.ok(isTransferIntent({ type: 'cancel' }));
    assert.ok(isTransferIntent({ type: 'listFiles' }));
    assert.ok(isTransferIntent({ type: 'submitAgain' }));
    assert.ok(isTransferIntent({ type: 'didStart' }));
    assert.ok(isTransferIntent({ type: 'reveal' }));
    assert.ok(isTransferIntent({ type: 'remedy' }));
    assert.ok(!isTransferIntent({ type: 'transfer' }));
  });

  it('accept a transfer, and an unknown transfer', () => {
    assert.ok(
      isTransferHostMessage({
        type: 'start',
        words,
        states: { active: 'active' },
        snapshot: { key: 'k', now: 3, transfer },
      }),
    );
    assert.ok(isTransferHostMessage({ type: 'snapshot', snapshot: { key: 'k', now: 3 } }));
  });

  it('reject unknown states, and counts that are not numbers', () => {
    const createMessage = (changed: object): unknown => ({
      type: 'snapshot',
      snapshot: { key: 'k', now: 3, transfer: { ...transfer, ...changed } },
    });
    assert.ok(!isTransferHostMessage(createMessage({ state: 'toString' })));
    assert.ok(!isTransferHostMessage(createMessage({ status: { fileCount: '3' } })));
    assert.ok(!isTransferHostMessage(createMessage({ createdAt: Number.NaN })));
    assert.ok(!isTransferHostMessage(createMessage({ movement: [{ at: 1 }] })));
    assert.ok(!isTransferHostMessage(createMessage({ estimate: { basis: 'none' } })));
    assert.ok(isTransferHostMessage(createMessage({ problem: 'why', remedy: 'key' })));
    assert.ok(!isTransferHostMessage(createMessage({ remedy: 'dataTransfer.disconnect' })));
    assert.ok(!isMetadataHostMessage({ type: 'snapshot', snapshot: { ...snapshot, remedy: 'toString' } }));
    assert.ok(!isTransferHostMessage(createMessage({ firstFiles: [{ id: 1, name: 'one' }] })));
  });

  it('accept only a page state that the page saved', () => {
    assert.ok(isTransferPageState({ key: 'k' }));
    assert.ok(!isTransferPageState({}));
  });
});

describe('A link from a server', () => {
  const openable = [
    'https://example.org/a?b=1&c=%26#d',
    'http://example.org',
    'mailto:somebody@example.org',
    'MAILTO:a.b+c@mail.example-1.org',
    "mailto:o'neil_2@x.org",
  ];
  for (const address of openable) it(`may be opened if it is ${address}`, () => assert.ok(toOpenableLink(address)));

  const refused = [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,hello',
    'file:///etc/passwd',
    'command:workbench.action.quit',
    'vscode://publisher.extension',
    '//example.org',
    '/etc/passwd',
    'example.org',
    '',
    'https://user:word@example.org/',
    'https://example.org/\u0000',
    `https://example.org/${'x'.repeat(5000)}`,
    'mailto:not an address',
    'mailto:nobody',
    'mailto:@example.org',
    'mailto:a@b@example.org',
    'mailto:a@example.org?cc=b@example.org',
    'mailto:a@example.org&body=x',
    'mailto:a@example.org,b@example.org',
    'mailto:a%0A@example.org',
    'mailto:a\u202e@example.org',
    'mailto:javascript:alert(1)@example.org',
    'mailto:a@-.',
    `mailto:${'x'.repeat(300)}@example.org`,
    `mailto:x@${'example.'.repeat(40)}org`,
  ];
  for (const address of refused)
    it(`is shown as text if it is ${JSON.stringify(address.slice(0, 40))}`, () =>
      assert.equal(toOpenableLink(address), undefined));
});
