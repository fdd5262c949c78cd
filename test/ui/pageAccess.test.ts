import assert from 'node:assert/strict';
import { PageStand } from '../support/pageStand.ts';
import { metadataPages, transferNews, transferPages, transferSnapshot } from '../support/pageStates.ts';

describe('The pages with reduced motion, large text and screen readers', () => {
  let stands: Readonly<Record<'transfer' | 'metadata', PageStand>>;

  before(async () => {
    stands = { transfer: await PageStand.open('transfer'), metadata: await PageStand.open('metadata') };
  });
  beforeEach(async () => {
    for (const stand of Object.values(stands)) {
      await stand.page.setViewportSize({ width: 900, height: 1200 });
      await stand.page.emulateMedia({ reducedMotion: 'no-preference' });
      await stand.reload();
    }
  });
  after(() => Promise.all(Object.values(stands).map((stand) => stand.close())));

  const kinds = [
    { kind: 'transfer', states: Object.entries(transferPages) },
    { kind: 'metadata', states: Object.entries(metadataPages) },
  ] as const;
  for (const { kind, states } of kinds)
    for (const [state, news] of states) {
      it(`show ${state} without clipped text at 200% zoom in half a window`, async () => {
        const stand = stands[kind];
        await stand.page.setViewportSize({ width: 320, height: 400 });
        await stand.send(news);
        const lost = await stand.page.evaluate<
          string[]
        >(`[document.documentElement, ...document.body.querySelectorAll('*')]
          .filter((element) => !element.closest('.spoken') && element.checkVisibility())
          .filter((element) => element.scrollWidth > element.clientWidth + 1)
          .filter((element) => element === document.documentElement || getComputedStyle(element).overflowX === 'hidden')
          .filter((element) => element.textContent.trim() !== '')
          .map((element) => element.outerHTML.slice(0, 200))`);
        assert.deepEqual(lost, []);
      });

      it(`show ${state} without animation when motion is reduced`, async () => {
        const stand = stands[kind];
        await stand.page.emulateMedia({ reducedMotion: 'reduce' });
        await stand.send(news);
        assert.deepEqual(await listMotions(stand), []);
        await stand.page.emulateMedia({ reducedMotion: 'no-preference' });
        await stand.page.evaluate(`document.body.classList.add('vscode-reduce-motion')`);
        assert.deepEqual(await listMotions(stand), []);
      });
    }

  it('animate when motion is not reduced', async () => {
    const stand = stands.transfer;
    await stand.send(transferPages['a transfer that waits']);
    assert.deepEqual(await listMotions(stand), ['waiting']);
  });

  it('announce a new state once, and keep the focus until the focused button is removed', async () => {
    const stand = stands.transfer;
    await stand.send(transferNews('active', { canCancel: true }));
    await stand.page.evaluate(`
      window.spoken = [];
      const region = document.getElementById('announcements');
      new MutationObserver(() => window.spoken.push(region.textContent))
        .observe(region, { childList: true, characterData: true, subtree: true });`);
    await stand.page.getByRole('button', { name: 'Cancel Transfer' }).focus();
    const { transfer } = transferNews('active')['snapshot'] as { transfer: Parameters<typeof transferSnapshot>[0] };
    const focused = (): Promise<string> => stand.page.evaluate('document.activeElement.textContent');
    for (let count = 0; count <= 20; count += 1) {
      const status = { fileCount: 20, movedFileCount: count, message: `copying file ${count}` };
      await stand.send(transferSnapshot({ ...transfer, canCancel: true, status }));
    }
    assert.equal(await focused(), 'Cancel Transfer');
    for (let count = 0; count < 5; count += 1)
      await stand.send(
        transferSnapshot({ ...transfer, state: 'succeeded', statusText: 'The word succeeded', ended: true }),
      );
    assert.deepEqual(await stand.page.evaluate('window.spoken'), [
      'Status of the transfer to My Data: The word succeeded.',
    ]);
    assert.match(await focused(), /^Some Database.+My Data$/);
  });
});

/** Resolves to the names of the running animations and transitions. */
async function listMotions({ page }: PageStand): Promise<readonly string[]> {
  return await page.evaluate(`document.getAnimations().map((one) => one.animationName ?? one.transitionProperty)`);
}
