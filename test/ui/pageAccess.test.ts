import assert from 'node:assert/strict';
import { PageStand } from '../support/pageStand.ts';
import { metadataPages, transferNews, transferPages, transferSnapshot } from '../support/pageStates.ts';

describe('The pages without motion, with large letters, and spoken', function () {
  this.timeout(60_000);
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
      it(`show ${state} without loss at twice the size in half a window`, async () => {
        const stand = stands[kind];
        await stand.page.setViewportSize({ width: 320, height: 400 });
        await stand.tell(news);
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

      it(`show ${state} without any motion where a person wants none`, async () => {
        const stand = stands[kind];
        await stand.page.emulateMedia({ reducedMotion: 'reduce' });
        await stand.tell(news);
        assert.deepEqual(await motions(stand), []);
        await stand.page.emulateMedia({ reducedMotion: 'no-preference' });
        await stand.page.evaluate(`document.body.classList.add('vscode-reduce-motion')`);
        assert.deepEqual(await motions(stand), []);
      });
    }

  it('move where a person has nothing against it', async () => {
    const stand = stands.transfer;
    await stand.tell(transferPages['a transfer that waits']);
    assert.deepEqual(await motions(stand), ['waiting']);
  });

  it('say a new state once, however often it comes, and keep the focus until its button goes', async () => {
    const stand = stands.transfer;
    await stand.tell(transferNews('active', { canCancel: true }));
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
      await stand.tell(transferSnapshot({ ...transfer, canCancel: true, status }));
    }
    assert.equal(await focused(), 'Cancel Transfer');
    for (let count = 0; count < 5; count += 1)
      await stand.tell(
        transferSnapshot({ ...transfer, state: 'succeeded', statusText: 'The word succeeded', ended: true }),
      );
    assert.deepEqual(await stand.page.evaluate('window.spoken'), [
      'The transfer to My Data is now: The word succeeded.',
    ]);
    assert.match(await focused(), /^Some Database.+My Data$/);
  });
});

/** The names of the animations and transitions that run in a page. */
async function motions({ page }: PageStand): Promise<readonly string[]> {
  return await page.evaluate(`document.getAnimations().map((one) => one.animationName ?? one.transitionProperty)`);
}
