import assert from 'node:assert/strict';
import type { PageTransfer, TransferSnapshot } from '../../src/messages/transferMessages.ts';
import { PageStand } from '../support/pageStand.ts';
import { pageTransfer } from '../support/pageTransfer.ts';

const waiting = { state: 'accepted', changes: [{ state: 'accepted', at: 1000 }] } as const;

describe('The transfer page', function () {
  this.timeout(60_000);
  let stand: PageStand;

  before(async () => {
    stand = await PageStand.open('transfer');
  });
  after(() => stand.close());

  const show = async (changed: Partial<PageTransfer>): Promise<void> => {
    const transfer = pageTransfer(changed);
    const snapshot: TransferSnapshot = { key: 'k', now: 2000, transfer };
    await stand.tell({ type: 'start', words: { language: 'en' }, states: {}, snapshot });
  };

  it('counts one file as one', async () => {
    const status = { fileCount: 1, movedFileCount: 0 };
    await show({ ...waiting, askedFileCount: 1, state: 'active', status });
    assert.equal(await stand.page.locator('.counts > :first-child').innerText(), '0 of 1 file');
    await show({ ...waiting, state: 'active', status: { fileCount: 4, movedFileCount: 1 } });
    assert.equal(await stand.page.locator('.counts > :first-child').innerText(), '1 of 4 files');
  });

  it('says first why it failed or waits, and a message that is no reason after the progress', async () => {
    const status = { fileCount: 4, movedFileCount: 1, message: 'No space is left.' };
    const order = async (state: PageTransfer['state']): Promise<readonly string[]> => {
      await show({ ...waiting, state, status });
      const titles = await stand.page.locator('h2').allInnerTexts();
      return titles.filter((title) => /Message|Progress/.test(title));
    };
    assert.deepEqual(await order('failed'), ['Message of the server', 'Progress']);
    assert.deepEqual(await order('active'), ['Progress', 'Message of the server']);
    assert.deepEqual(await order('inactive'), ['Message of the server', 'Progress']);
  });

  it('shows no share of the files before any is counted, also where nothing may move', async () => {
    await stand.page.emulateMedia({ reducedMotion: 'reduce' });
    await show(waiting);
    await stand.page.locator('.bar.waiting').waitFor();
    const widths = await stand.page.evaluate<[string, string]>(
      `[getComputedStyle(document.querySelector('.bar.waiting')), getComputedStyle(document.querySelector('.bar.waiting'), '::after')].map(({ width }) => width)`,
    );
    assert.equal(widths[1], widths[0], 'the pattern fills the whole bar');
    assert.deepEqual(stand.complaints, []);
  });
});
