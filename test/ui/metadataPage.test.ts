import assert from 'node:assert/strict';
import type { FileEntry, FoundFile } from '../../src/core/model/fileEntry.ts';
import type { MetadataSnapshot } from '../../src/messages/metadataMessages.ts';
import { PageStand } from '../support/pageStand.ts';
import { entryOf, realResources } from '../support/pageStates.ts';

const database = 'Some Database';
const script = '<img src=x onerror=alert(1)><script>alert(2)</script>';

describe('The metadata page', function () {
  this.timeout(60_000);
  let stand: PageStand;
  let real: Readonly<Record<string, FileEntry>>;

  before(async () => {
    const resources = Object.entries(realResources());
    real = Object.fromEntries(resources.map(([name, resource]) => [name, entryOf(resource)]));
    stand = await PageStand.open('metadata');
  });
  after(() => stand.close());

  const show = async (found: FoundFile, more: Partial<MetadataSnapshot> = {}): Promise<void> => {
    const { id, name } = found.kind === 'file' ? found : { id: 'unreadable', name: 'unreadable' };
    const ref = { connectionId: 'c', database, id, name };
    const snapshot: MetadataSnapshot = { ref, kept: false, loading: false, found, receivedAt: 1, ...more };
    await stand.tell({ type: 'start', words: { language: 'en' }, snapshot });
  };
  const text = (selector: string): Promise<string> => stand.page.locator(selector).first().innerText();
  /** Unfolds every branch until none is left. */
  const unfoldAll = async (): Promise<void> => {
    for (;;) {
      const closed = stand.page.locator('details:not([open]) > summary');
      if ((await closed.count()) === 0) return;
      await closed.first().click();
      await stand.page.evaluate(
        'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
      );
    }
  };

  it('shows of every resource that a real service sent its title, and every text that is in it (D15)', async () => {
    assert.ok(Object.keys(real).length >= 15);
    for (const [name, file] of Object.entries(real)) {
      await show(file);
      assert.equal((await text('h1')).trim(), file.title ?? file.name, name);
      await unfoldAll();
      const shown = squeezed(`${await text('body')} ${await attributes(stand)}`);
      for (const leaf of leavesOf(file.resource)) assert.ok(shown.includes(squeezed(leaf)), `${name} shows ${leaf}`);
    }
    assert.deepEqual(stand.complaints, []);
  });

  it('says what matters of a real resource in words and links', async () => {
    await show(real['nmdc-1'] ?? assert.fail(), { staging: 'unstaged' });
    assert.match(await text('dl.facts'), /Size\s+123 kB[^]*Format\s+fasta[^]*Staging\s+Unstaged/);
    const links = await stand.page
      .locator('.part-credit a')
      .evaluateAll((all: { getAttribute(name: string): string | null }[]) =>
        all.map((one) => one.getAttribute('href')),
      );
    assert.ok(links.includes('https://doi.org/10.25345/C58K7520G'));
    assert.ok(links.includes('https://orcid.org/0000-0002-1825-0097'));
    assert.ok(links.includes('https://ror.org/01bj3aw27'));
  });

  it('shows as text whatever a server says: markup, scripts, links that run, control and direction marks', async () => {
    const address = ['javascript:alert(3)', 'data:text/html,x', 'command:workbench.action.quit', 'file:///etc/passwd'];
    await show(
      entryOf({
        id: 'x',
        name: `${script}\u202egnp.exe\u0007`,
        path: script,
        format: script,
        mediatype: script,
        hash: script,
        bytes: 7,
        title: script,
        description: `${script}\n\n[go](${address[0] ?? ''}) [on](${address[2] ?? ''}) ![](https://elsewhere.test/x.png)`,
        sources: address.map((path) => ({ title: script, path, email: 'x" onclick="alert(4)' })),
        licenses: address.map((path) => ({ name: script, path })),
        schema: { fields: [{ name: script, type: script, description: script, constraints: { [script]: script } }] },
        credit: { contributors: [{ name: script, contributor_id: address[0], email: address[0] }], url: address[3] },
        [script]: { [script]: [script] },
      }),
    );
    await unfoldAll();
    const hrefs: (string | null)[] = await stand.page
      .locator('a')
      .evaluateAll((all: { getAttribute(name: string): string | null }[]) =>
        all.map((one) => one.getAttribute('href')),
      );
    for (const href of hrefs) assert.match(href ?? '', /^(?:https:\/\/elsewhere\.test\/x\.png|mailto:)/);
    assert.equal(await stand.page.locator('main :is(img, script, iframe, style, object, form, input)').count(), 0);
    assert.doesNotMatch(await text('body'), /[\u202e\u0007]/);
    assert.deepEqual([stand.complaints, stand.asked], [[], []]);
  });

  it('stays quick with names and texts of 100 kB, 100,000 fields and 50,000 columns, and shows them all on demand', async () => {
    const long = 'x'.repeat(100_000);
    const fields = Array.from({ length: 50_000 }, (_, index) => ({ name: `column ${index}`, type: 'string' }));
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`field ${index}`, index]));
    await show(
      entryOf({ id: long, name: long, path: long, description: long, schema: { fields }, [long]: long, many }),
    );
    assert.ok((await stand.page.locator('*').count()) < 5000, 'only what is looked at is built');
    assert.ok((await text('h1')).length <= 300);
    await stand.page.getByRole('button', { name: /Show 2,000 more of 50,000/ }).click();
    await stand.page.getByText('column 2199', { exact: true }).waitFor();
    assert.deepEqual(stand.complaints, []);
  });

  const odd: readonly (readonly [string, Record<string, unknown>])[] = [
    ['nothing but an id', { id: 'only' }],
    ['empty names', { id: 'e', name: '', path: '', title: '', description: '' }],
    [
      'other things in place of all it could have',
      { id: 'o', name: 'o', sources: 7, licenses: 'x', credit: [], schema: true },
    ],
    ['nulls', { id: 'n', name: 'n', sources: null, credit: null, schema: null, bytes: null, hash: null }],
  ];
  for (const [what, resource] of odd)
    it(`shows a resource with ${what} under a heading that can be read`, async () => {
      await show(entryOf(resource));
      assert.notEqual((await text('h1')).trim(), '');
      assert.deepEqual(stand.complaints, []);
    });

  it('shows a resource that cannot be read as it came (D15)', async () => {
    await show({ kind: 'unreadable', text: `{"name": "${script}"}` });
    assert.equal((await text('pre')).trim(), `{"name": "${script}"}`);
  });

  it('ignores a message that it does not know, and tells its host that it did', async () => {
    await show(entryOf({ id: 'kept', name: 'kept.csv' }));
    for (const message of ['text', null, { type: 'other' }, { type: 'snapshot', snapshot: { ref: 1 } }])
      await stand.tell(message);
    assert.equal(await text('h1'), 'kept.csv');
    assert.equal((await stand.said()).filter(({ type }) => type === 'ignored').length, 4);
  });

  it('keeps the focus when the same file comes anew, and speaks only when something has changed', async () => {
    const file = entryOf({ id: 'f', name: 'f.csv', bytes: 1 });
    await show(file);
    await stand.page.getByRole('button', { name: 'Copy Id' }).focus();
    const spoken = await text('#announcements');
    await show(file);
    assert.equal(await stand.page.evaluate('document.activeElement.textContent'), 'Copy Id');
    assert.equal(await text('#announcements'), spoken);
    await show(file, { loading: true });
    await show(entryOf({ id: 'f', name: 'f.csv', bytes: 2 }));
    assert.equal(await text('#announcements'), 'The metadata of f.csv is shown.');
  });
});

function squeezed(written: string): string {
  return written.replace(/\s+/g, ' ');
}

/** Every text in a value that says something. */
function leavesOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return /\w/.test(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(leavesOf);
}

/** What is said by titles and addresses: a whole date, the target of a link. */
async function attributes({ page }: PageStand): Promise<string> {
  const all = await page
    .locator('[title], [href], [datetime]')
    .evaluateAll((elements: { getAttribute(name: string): string | null }[]) =>
      elements.map((one) => ['title', 'href', 'datetime'].map((name) => one.getAttribute(name)).join(' ')),
    );
  return all.join(' ');
}
