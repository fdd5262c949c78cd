import assert from 'node:assert/strict';
import type { FileEntry, FoundFile } from '../../../src/core/model/fileEntry.ts';
import type { MetadataSnapshot } from '../../../src/webviews/messages/metadataMessages.ts';
import { PageStand } from '../../support/pageStand.ts';
import { createEntry, hostileResource, realResources } from '../../support/pageStates.ts';

const database = 'Some Database';
const script = hostileResource.title;

describe('The metadata page', () => {
  let stand: PageStand;
  let real: Readonly<Record<string, FileEntry>>;

  before(async () => {
    const resources = Object.entries(realResources());
    real = Object.fromEntries(resources.map(([name, resource]) => [name, createEntry(resource)]));
    stand = await PageStand.open('metadata');
  });
  after(() => stand.close());

  const show = async (found: FoundFile, more: Partial<MetadataSnapshot> = {}): Promise<void> => {
    const { id, name } = found.kind === 'file' ? found : { id: 'unreadable', name: 'unreadable' };
    const ref = { connectionId: 'c', database, id, name };
    const snapshot: MetadataSnapshot = { ref, kept: false, loading: false, found, receivedAt: 1, ...more };
    await stand.send({ type: 'start', words: { language: 'en' }, snapshot });
  };
  const text = (selector: string): Promise<string> => stand.page.locator(selector).first().innerText();
  /** Expands every branch. */
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

  it('shows link buttons like links, which high contrast themes underline, aligned with the text around them', async () => {
    const citation = 'Lovelace, A. (2026). Stations [Data set].';
    await show(createEntry({ id: 's', name: 's.csv' }), { citation });
    const look = async (className: string, underline = ''): Promise<unknown> =>
      await stand.page.evaluate<unknown>(`(() => {
        document.body.className = '${className}';
        document.documentElement.style.setProperty('--text-link-decoration', '${underline}');
        const { textDecorationLine, paddingLeft } = getComputedStyle(document.querySelector('.part .button.link'));
        return [textDecorationLine, paddingLeft];
      })()`);
    assert.deepEqual(await look('vscode-dark'), ['none', '0px']);
    assert.deepEqual(await look('vscode-dark', 'underline'), ['underline', '0px']);
    assert.deepEqual(await look('vscode-high-contrast'), ['underline', '0px']);
    assert.deepEqual(await look('vscode-high-contrast-light'), ['underline', '0px']);
    assert.deepEqual(await look(''), ['none', '0px']);
  });

  it('uses the width of a narrow page for its text, and shows the button of a message below the message', async () => {
    await stand.page.setViewportSize({ width: 280, height: 400 });
    try {
      const [file] = Object.values(real);
      assert.ok(file);
      await show(file, { problem: 'The service returned an error: the catalogue is being rebuilt.' });
      const place = async (selector: string): Promise<{ x: number; y: number; width: number; height: number }> =>
        (await stand.page.locator(selector).first().boundingBox()) ?? assert.fail(selector);
      const [title, message, button] = [await place('h1'), await place('.note p'), await place('.note .button')];
      assert.equal(title.x, 16);
      assert.ok(button.y >= message.y + message.height, 'the button is below the message');
    } finally {
      await stand.page.setViewportSize({ width: 900, height: 1200 });
    }
  });

  it('shows the title and all text of resources from real services (D15: tolerant reading)', async () => {
    assert.ok(Object.keys(real).length >= 15);
    for (const [name, file] of Object.entries(real)) {
      await show(file);
      assert.equal((await text('h1')).trim(), file.title ?? file.name, name);
      await unfoldAll();
      const shown = collapseSpaces(`${await text('body')} ${await readAttributes(stand)}`);
      for (const leaf of listTexts(file.resource))
        assert.ok(shown.includes(collapseSpaces(leaf)), `${name} shows ${leaf}`);
    }
    assert.deepEqual(stand.errors, []);
  });

  it('shows the facts and links of a real resource', async () => {
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

  it('shows markup, scripts, unsafe links, and control and direction characters as text', async () => {
    await show(createEntry(hostileResource));
    await unfoldAll();
    const hrefs: (string | null)[] = await stand.page
      .locator('a')
      .evaluateAll((all: { getAttribute(name: string): string | null }[]) =>
        all.map((one) => one.getAttribute('href')),
      );
    for (const href of hrefs) assert.match(href ?? '', /^(?:https:\/\/elsewhere\.test\/x\.png|mailto:)/);
    assert.equal(await stand.page.locator('main :is(img, script, iframe, style, object, form, input)').count(), 0);
    assert.doesNotMatch(await text('body'), /[\u202e\u0007]/);
    assert.deepEqual([stand.errors, stand.requests], [[], []]);
  });

  it('stays fast with 100 kB strings, 100,000 fields and 50,000 columns, and shows all on request', async () => {
    const long = 'x'.repeat(100_000);
    const fields = Array.from({ length: 50_000 }, (_, index) => ({ name: `column ${index}`, type: 'string' }));
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`field ${index}`, index]));
    await show(
      createEntry({ id: long, name: long, path: long, description: long, schema: { fields }, [long]: long, many }),
    );
    assert.ok((await stand.page.locator('*').count()) < 5000, 'only visible elements are created');
    assert.ok((await text('h1')).length <= 300);
    await stand.page.getByRole('button', { name: /Show 2,000 more of 50,000/ }).click();
    await stand.page.getByText('column 2199', { exact: true }).waitFor();
    assert.deepEqual(stand.errors, []);
  });

  const odd: readonly (readonly [string, Record<string, unknown>])[] = [
    ['only an ID', { id: 'only' }],
    ['empty names', { id: 'e', name: '', path: '', title: '', description: '' }],
    ['wrong types in all known fields', { id: 'o', name: 'o', sources: 7, licenses: 'x', credit: [], schema: true }],
    ['nulls', { id: 'n', name: 'n', sources: null, credit: null, schema: null, bytes: null, hash: null }],
  ];
  for (const [what, resource] of odd)
    it(`shows a resource with ${what} under a readable heading`, async () => {
      await show(createEntry(resource));
      assert.notEqual((await text('h1')).trim(), '');
      assert.deepEqual(stand.errors, []);
    });

  it('shows an unreadable resource as received (D15: tolerant reading)', async () => {
    await show({ kind: 'unreadable', text: `{"name": "${script}"}` });
    assert.equal((await text('pre')).trim(), `{"name": "${script}"}`);
  });

  it('opens the file without a transfer only if its service offers that', async () => {
    const file = createEntry({ id: 'o', name: 'o.csv' });
    const button = stand.page.getByRole('button', { name: 'Open', exact: true });
    await show(file);
    assert.equal(await button.count(), 0);
    await show(file, { canOpen: true });
    await button.click();
    assert.deepEqual((await stand.getMessages()).at(-1), { type: 'open' });
  });

  it('shows the beginning of a file only on request, and its cells as text (D53)', async () => {
    const file = createEntry({ id: 'p', name: 'p.csv' });
    await show(file, { canOpen: true });
    assert.equal(await stand.page.locator('.part-preview').count(), 0);
    await show(file, { canOpen: true, canPreview: true });
    await stand.page.getByRole('button', { name: 'Show Beginning of File' }).click();
    assert.deepEqual((await stand.getMessages()).at(-1), { type: 'preview' });
    await show(file, {
      preview: { state: 'table', header: ['id', script], rows: [[script, '**b** https://example.org']] },
    });
    const table = stand.page.locator('.part-preview table');
    assert.deepEqual(await table.locator('th').allInnerTexts(), ['id', script]);
    assert.deepEqual(await table.locator('td').allInnerTexts(), [script, '**b** https://example.org']);
    assert.equal(await table.locator('script, img, a, b, strong').count(), 0);
    await show(file, { preview: { state: 'json', value: { name: script } } });
    assert.ok((await text('.part-preview')).includes(script));
    await show(file, { preview: { state: 'problem', text: `It failed: ${script}.` } });
    assert.ok((await text('.part-preview')).includes(`It failed: ${script}.`));
  });

  it('ignores an unknown message and reports it to the host', async () => {
    await show(createEntry({ id: 'kept', name: 'kept.csv' }));
    for (const message of ['text', null, { type: 'other' }, { type: 'snapshot', snapshot: { ref: 1 } }])
      await stand.send(message);
    assert.equal(await text('h1'), 'kept.csv');
    assert.equal((await stand.getMessages()).filter(({ type }) => type === 'ignored').length, 4);
  });

  it('keeps the focus when the same file is sent again, and announces only changes (D58)', async () => {
    const file = createEntry({ id: 'f', name: 'f.csv', bytes: 1 });
    await show(file);
    await stand.page.getByRole('button', { name: 'Copy ID' }).focus();
    const spoken = await text('#announcements');
    await show(file);
    assert.equal(await stand.page.evaluate('document.activeElement.textContent'), 'Copy ID');
    assert.equal(await text('#announcements'), spoken);
    await show(file, { loading: true });
    await show(createEntry({ id: 'f', name: 'f.csv', bytes: 2 }));
    assert.equal(await text('#announcements'), 'Loaded the metadata for f.csv.');
  });
});

function collapseSpaces(written: string): string {
  return written.replace(/\s+/g, ' ');
}

/** Returns all strings in a value that contain a letter or digit. */
function listTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return /\w/.test(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(listTexts);
}

/** Resolves to the values of attributes: titles, link targets and dates. */
async function readAttributes({ page }: PageStand): Promise<string> {
  const all = await page
    .locator('[title], [href], [datetime]')
    .evaluateAll((elements: { getAttribute(name: string): string | null }[]) =>
      elements.map((one) => ['title', 'href', 'datetime'].map((name) => one.getAttribute(name)).join(' ')),
    );
  return all.join(' ');
}
