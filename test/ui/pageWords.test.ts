import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readFoundPage } from '../../src/core/client/responseReaders.ts';
import type { FoundFile } from '../../src/core/model/fileEntry.ts';
import type { MetadataSnapshot } from '../../src/webviews/messages/metadataMessages.ts';
import { transferStates } from '../../src/webviews/messages/transferMessages.ts';
import { repositoryRoot } from '../support/editor/places.ts';
import { PageStand } from '../support/pageStand.ts';
import { withDerived, type GivenTransfer } from '../support/pageTransfer.ts';

/**
 * Resolves to a bundle with every message in brackets, so that any displayed text outside of brackets is untranslated.
 */
async function readBracketedBundle(): Promise<Record<string, string>> {
  const bundle = await readFile(join(repositoryRoot, 'l10n', 'bundle.l10n.json'), 'utf8');
  const texts = Object.entries(JSON.parse(bundle) as Record<string, string>);
  return Object.fromEntries(texts.map(([key, text]) => [key, `⟦${text}⟧`]));
}

/**
 * Script that lists the text and text attributes of a page, without data and times. Data is in `bdi` elements, and JSON
 * has its own classes.
 */
const textsShown = `(() => {
  const data = 'bdi, time, .markdown, .code, .value, .most, .size, .lasted, pre, dd .basis, td';
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (!node.parentElement.closest(data + ', script')) texts.push(node.data);
  for (const element of document.querySelectorAll('[aria-label], [aria-valuetext], [placeholder], [alt]'))
    for (const name of ['aria-label', 'aria-valuetext', 'placeholder', 'alt'])
      if (element.hasAttribute(name)) texts.push(element.getAttribute(name));
  return texts;
})()`;

/** Matches dates, times, and numbers with or without units. They are formatted by locale, not translated. */
const formatted = /\d[\d.,:/]*\s?(bytes?|[kMGT]?B|days?|hr|min|sec|AM|PM|%)?|\b(Jan|Feb|Nov) \d+, \d{4}, /g;

function bare(text: string): string {
  let inner = text.replaceAll(formatted, '');
  for (let before = ''; before !== inner;) {
    before = inner;
    inner = inner.replaceAll(/⟦[^⟦⟧]*⟧/g, '');
  }
  return inner.replaceAll(/[^\p{L}]/gu, '') === '' ? '' : text;
}

async function bareTexts(stand: PageStand): Promise<readonly string[]> {
  const texts: readonly string[] = await stand.page.evaluate(textsShown);
  assert.ok(
    texts.some((text) => text.includes('⟦')),
    'Nothing is translated.',
  );
  return texts.map(bare).filter((text) => text !== '');
}

describe('The text of the pages', () => {
  let bundle: Record<string, string>;
  let stand: PageStand;

  before(async () => {
    bundle = await readBracketedBundle();
  });
  afterEach(() => stand.close());

  it('comes from the translation bundle on the metadata page', async () => {
    stand = await PageStand.open('metadata');
    const show = async (found: FoundFile | undefined, more: Partial<MetadataSnapshot> = {}): Promise<void> => {
      const ref = { connectionId: 'c', database: 'D', id: 'i', name: 'n' };
      const snapshot = { ref, kept: false, loading: false, receivedAt: 1, ...(found && { found }), ...more };
      await stand.send({ type: 'start', words: { language: 'en', bundle }, snapshot });
      assert.deepEqual(await bareTexts(stand), []);
    };
    const text = await readFile(join(repositoryRoot, 'test', 'support', 'realResources.json'), 'utf8');
    const resources = Object.values(JSON.parse(text) as Record<string, unknown>);
    for (const file of resources.flatMap((resource) => readFoundPage({ resources: [resource] }, 'D', false).files))
      await show(file, { staging: 'staged' });
    await show(undefined, { loading: true });
    await show(undefined, { problem: bundle['the service rejected the API key'] ?? '' });
    await show({ kind: 'unreadable', text: '{' }, { old: true });
    assert.deepEqual(stand.errors, []);
  });

  it('comes from the translation bundle on the transfer page in every state', async () => {
    stand = await PageStand.open('transfer');
    const states = Object.fromEntries(transferStates.map((state) => [state, `⟦${state}⟧`]));
    for (const state of transferStates)
      for (const more of [{}, { problem: '⟦why⟧', cancelAcceptedAt: 1 }, { startedElsewhere: true }, counted]) {
        const ended = state === 'succeeded' || state === 'refused';
        const transfer = withDerived({ ...given, state, ended, paused: state === 'inactive', ...more });
        const snapshot = { key: 'k', now: 90_000, transfer };
        await stand.send({ type: 'start', words: { language: 'en', bundle }, states, snapshot });
        assert.deepEqual(await bareTexts(stand), [], state);
      }
    await stand.send({ type: 'start', words: { language: 'en', bundle }, states, snapshot: { key: 'k', now: 1 } });
    assert.deepEqual(await bareTexts(stand), []);
    assert.deepEqual(stand.errors, []);
  });
});

const given: Omit<Parameters<typeof withDerived>[0], 'state'> = {
  key: 'k',
  id: 'i',
  order: {
    connectionId: 'c',
    orcid: '0000-0002-1825-0097',
    source: 'A',
    destination: 'B',
    description: 'D',
    instructions: { one: [1, true, null], two: {}, three: 'T' },
  },
  firstFiles: [{ id: 'i', name: 'n', sizeBytes: 1 }],
  requestedFileCount: 3,
  ended: false,
  canCancel: true,
  canSubmitAgain: true,
  createdAt: 1000,
  facts: [
    { label: '⟦Last checked⟧', at: 80_000 },
    { label: '⟦ID⟧', text: 'i', isCode: true },
  ],
  changes: [
    { state: 'submitting', at: 1000 },
    { state: 'staging', at: 3000 },
  ],
};

const counted: Partial<GivenTransfer> = {
  status: { status: 'active', message: 'M', fileCount: 4, movedFileCount: 1, doubtful: true },
  movement: [
    { at: 2000, moved: 0 },
    { at: 9000, moved: 1 },
  ],
  estimate: { text: '⟦about⟧', basis: '⟦basis⟧' },
  cancelAcceptedAt: 2000,
  cancelUnheeded: true,
};
