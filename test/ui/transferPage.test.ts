import assert from 'node:assert/strict';
import type { PageTransfer, TransferSnapshot } from '../../src/webviews/messages/transferMessages.ts';
import { PageStand } from '../support/pageStand.ts';
import { pageTransfer, type GivenTransfer } from '../support/pageTransfer.ts';

const waiting = { state: 'accepted', changes: [{ state: 'accepted', at: 1000 }] } as const;

describe('The transfer page', () => {
  let stand: PageStand;

  before(async () => {
    stand = await PageStand.open('transfer');
  });
  after(() => stand.close());

  const show = async (changed: Partial<GivenTransfer>, now = 2000): Promise<void> => {
    const transfer = pageTransfer(changed);
    const snapshot: TransferSnapshot = { key: 'k', now, transfer };
    await stand.send({ type: 'start', words: { language: 'en' }, states: {}, snapshot });
  };

  it('uses the singular for one file', async () => {
    const status = { fileCount: 1, movedFileCount: 0 };
    await show({ ...waiting, requestedFileCount: 1, state: 'active', status });
    assert.equal(await stand.page.locator('.counts > :first-child').innerText(), '0 of 1 file');
    await show({ ...waiting, state: 'active', status: { fileCount: 4, movedFileCount: 1 } });
    assert.equal(await stand.page.locator('.counts > :first-child').innerText(), '1 of 4 files');
  });

  it('shows the server message first when it is the reason for the state, otherwise after the progress', async () => {
    const status = { fileCount: 4, movedFileCount: 1, message: 'No space is left.' };
    const order = async (state: PageTransfer['state']): Promise<readonly string[]> => {
      await show({ ...waiting, state, status });
      const titles = await stand.page.locator('h2').allInnerTexts();
      return titles.filter((title) => /message|Progress/.test(title));
    };
    assert.deepEqual(await order('failed'), ['Server message', 'Progress']);
    assert.deepEqual(await order('active'), ['Progress', 'Server message']);
    assert.deepEqual(await order('unknown'), ['Server message', 'Progress']);
  });

  it('shows the server message of a suspended transfer once, as the reason', async () => {
    const status = { fileCount: 4, movedFileCount: 1, message: 'Transfer i: waiting: the destination is full' };
    await show({ ...waiting, id: 'i', state: 'inactive', status });
    const shown = await stand.page.locator('.note p', { hasText: 'waiting' }).allInnerTexts();
    assert.deepEqual(shown, ['This transfer is waiting: the destination is full']);
    assert.equal(await stand.page.locator('.part-message').count(), 0);
  });

  it('shows an accepted and an expired transfer with the icons of their rows', async () => {
    for (const [state, icon] of [
      ['accepted', 'watch'],
      ['expired', 'history'],
    ] as const) {
      await show({ ...waiting, state, changes: [{ state, at: 1000 }] });
      assert.equal(await stand.page.locator(`.state .icon-${icon}`).count(), 1, state);
    }
  });

  it('begins with the next steps after success, and with Transfer Again after a failure', async () => {
    const place = { folder: '/data/dts-1', revealLabel: 'Reveal in File Explorer', canResend: false };
    const readButtons = async (state: 'succeeded' | 'failed'): Promise<readonly string[]> => {
      const changes = [{ state, at: 1000 }] as const;
      await show({ ...waiting, id: 'i', state, changes, ended: true, canCancel: false, canSubmitAgain: true, place });
      return stand.page.locator('.actions button').allInnerTexts();
    };
    const later = ['Transfer Again…', 'Copy ID', 'Show in List'];
    const own = ['Show Files', 'Verify Files', 'Cite…'];
    assert.deepEqual(await readButtons('succeeded'), [...own, ...later, 'Reveal in File Explorer']);
    assert.deepEqual(await readButtons('failed'), [...later, ...own, 'Reveal in File Explorer']);
  });

  it('offers to keep a tab that shows the next transfer instead', async () => {
    const keep = stand.page.getByRole('button', { name: 'Keep Open' });
    const snapshot: TransferSnapshot = { key: 'k', now: 2000, shared: true, transfer: pageTransfer(waiting) };
    await stand.send({ type: 'snapshot', snapshot });
    assert.equal(await keep.count(), 1);
    await stand.send({ type: 'snapshot', snapshot: { ...snapshot, shared: false } });
    assert.equal(await keep.count(), 0);
  });

  it('shows in its history that a request was not sent, instead of a refusal', async () => {
    const changes = [
      { state: 'submitting', at: 1000 },
      { state: 'refused', at: 2000 },
    ] as const;
    const unsent = { state: 'refused', ended: true, changes, problem: 'no', problemKind: 'unsent' } as const;
    await show({ ...unsent, statusText: 'not sent', wasSent: false });
    const events = await stand.page.locator('.timeline .name').allInnerTexts();
    assert.deepEqual(events, ['Submitting', 'Not sent']);
  });

  it("shows in the history of an ended transfer the server's own words, if they can be read", async () => {
    const changes = [
      { state: 'running', at: 1000, word: 'verifying' },
      { state: 'running', at: 1500, word: '\u2800' },
      { state: 'succeeded', at: 2000 },
    ] as const;
    await show({ state: 'succeeded', ended: true, changes });
    const events = await stand.page.locator('.timeline .name').allInnerTexts();
    assert.deepEqual(events, ['Verifying', 'Running', 'Succeeded']);
  });

  it('decodes named character references in a description, but not text that only begins with one', async () => {
    const names = 'copy nbsp lt quot AMP semi NotEqualTilde notin notes copyx unknown #65x #x41'.split(' ');
    const description = `${names.map((name) => `&${name};`).join(' ')} [link](https://example.org/?a&amp;b&copy;)`;
    const { order } = pageTransfer({});
    await show({ ...waiting, order: { ...order, description } });
    const paragraph = stand.page.locator('.markdown p');
    const text = '© \u00a0 < " & ; \u2242\u0338 \u2209 &notes; &copyx; &unknown; &#65x; A link';
    assert.equal(await paragraph.textContent(), text);
    assert.equal(await paragraph.locator('a').getAttribute('href'), 'https://example.org/?a&b%C2%A9');
  });

  it('shows no percentage before any file is counted, even with reduced motion', async () => {
    await stand.page.emulateMedia({ reducedMotion: 'reduce' });
    await show(waiting);
    await stand.page.locator('.bar.waiting').waitFor();
    const widths = await stand.page.evaluate<[string, string]>(
      `[getComputedStyle(document.querySelector('.bar.waiting')), getComputedStyle(document.querySelector('.bar.waiting'), '::after')].map(({ width }) => width)`,
    );
    assert.equal(widths[1], widths[0], 'the pattern fills the whole bar');
    assert.deepEqual(stand.errors, []);
  });

  it('shows neither a duration nor a submitter for an order that was not sent', async () => {
    const labels = async (wasSent: boolean): Promise<readonly string[]> => {
      await show({ state: 'refused', ended: true, wasSent, problem: 'not connected to the service' });
      return await stand.page.locator('.facts dt').allInnerTexts();
    };
    assert.deepEqual(await labels(true), ['Duration', 'Files requested', 'Submitted by']);
    assert.deepEqual(await labels(false), ['Files requested']);
  });

  it('shows no submitter while an order is being submitted', async () => {
    await show({ state: 'submitting' });
    assert.deepEqual(await stand.page.locator('.facts dt').allInnerTexts(), ['Elapsed', 'Files requested']);
  });

  it('shows the facts that the host sends: text isolated, and times with the exact time as a tooltip', async () => {
    const facts = [
      { label: 'Last checked', at: 1500 },
      { label: 'Files skipped', text: '12' },
      { label: 'Transfer ID', text: 'an-id', isCode: true },
    ];
    await show({ state: 'submitting', facts });
    const shown = stand.page.locator('.fact').filter({ hasText: /Last|skipped|ID/ });
    assert.deepEqual(await shown.locator('dt').allInnerTexts(), ['Last checked', 'Files skipped', 'Transfer ID']);
    assert.deepEqual(await shown.locator('bdi').allInnerTexts(), ['12', 'an-id']);
    assert.match((await shown.locator('dd').first().getAttribute('title')) ?? '', /1970/);
    assert.deepEqual(await stand.page.locator('.fact.wide .code').allInnerTexts(), ['an-id']);
  });

  it('updates the elapsed time every second', async () => {
    await show({ state: 'active' });
    const elapsed = stand.page.locator('.fact', { hasText: 'Elapsed' }).locator('dd');
    const before = await elapsed.innerText();
    await elapsed.filter({ hasNotText: before }).waitFor();
    assert.deepEqual(stand.errors, []);
  });

  it('requests and shows all files when the user clicks "Show all"', async () => {
    const files = Array.from({ length: 300 }, (_, index) => ({ id: `file ${index}`, name: `file ${index}` }));
    await show({ requestedFileCount: 300, firstFiles: files.slice(0, 200) });
    await stand.page.getByRole('button', { name: 'Show all 300' }).click();
    assert.equal((await stand.getMessages()).at(-1)?.type, 'listFiles');
    await stand.send({ type: 'files', files });
    assert.equal(await stand.page.locator('.files li').count(), 300);
    assert.equal(await stand.page.getByRole('button', { name: /Show all/ }).count(), 0);
  });

  it('creates the table of the chart when it is expanded, and keeps it open', async () => {
    const movement = [
      { at: 1000, moved: 0 },
      { at: 1500, moved: 2 },
    ];
    await show({ movement }, 90_000);
    assert.equal(await stand.page.locator('.numbers td').count(), 0);
    await stand.page.getByText('Show numbers').click();
    await stand.page.locator('.numbers td').last().waitFor();
    await show({ movement }, 90_000);
    assert.equal(await stand.page.locator('.numbers td').count(), 4);
  });
});
