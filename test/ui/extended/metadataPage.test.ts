import assert from 'node:assert/strict';
import type { FileEntry, FoundFile } from '../../../src/core/model/fileEntry.ts';
import { createImagePreview } from '../../../src/core/tables/imagePreview.ts';
import type { MetadataSnapshot } from '../../../src/webviews/messages/metadataMessages.ts';
import { PageStand } from '../../support/pageStand.ts';
import { createEntry, hostileResource, imagePreview, realResources } from '../../support/pageStates.ts';
import { createGif, createImages, createPng } from '../../support/tinyImages.ts';

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
    await show(file, { canOpen: true, offer: 'beginning' });
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

describe('An image on the metadata page', () => {
  let stand: PageStand;
  before(async () => {
    stand = await PageStand.open('metadata');
  });
  beforeEach(async () => {
    await stand.page.emulateMedia({ reducedMotion: 'no-preference' });
    await stand.reload();
  });
  after(() => stand.close());

  const show = async (preview: MetadataSnapshot['preview']): Promise<void> => {
    const found = createEntry({ id: 'i', name: `i${script}.png` });
    const ref = { connectionId: 'c', database, id: 'i', name: found.name };
    const snapshot = { ref, kept: true, loading: false, found, receivedAt: 1, canOpen: true, offer: 'image', preview };
    await stand.send({ type: 'start', words: { language: 'en' }, snapshot });
  };
  /** Shows an image as the host does, which reads its header. Resolves to the size with which the browser decodes it. */
  const decode = async (bytes: Buffer): Promise<unknown> => {
    const read = await createImagePreview({ totalBytes: bytes.length, read: async () => Promise.resolve(bytes) });
    assert.ok(read.kind === 'image');
    await show(imagePreview(bytes, read.header));
    const size = await stand.page.evaluate<{ width: number; height: number }>(`(async () => {
      const image = document.querySelector('.part-preview img');
      await image.decode();
      return { width: image.naturalWidth, height: image.naturalHeight };
    })()`);
    assert.deepEqual(size, { width: read.header.width, height: read.header.height });
    return size;
  };
  const place = async (): Promise<{ width: number; height: number }> =>
    (await stand.page.locator('.part-preview :is(img, canvas)').boundingBox()) ?? assert.fail();

  for (const [type, create] of Object.entries(createImages))
    it(`has the size and type that the header of an ${type} states, also as text, and its own size`, async () => {
      await decode(create(300, 200));
      const name = { 'image/png': 'PNG', 'image/jpeg': 'JPEG', 'image/gif': 'GIF', 'image/webp': 'WebP' }[type] ?? '';
      const facts = `${name}, 300 × 200 px`;
      const alt = await stand.page.locator('.part-preview img').getAttribute('alt');
      assert.equal(alt, `i${script}.png, ${facts}`);
      assert.equal(await stand.page.locator('.part-preview figcaption').innerText(), facts);
      const { width, height } = await place();
      assert.deepEqual([width, height], [300, 200]);
      assert.deepEqual([stand.errors, stand.requests], [[], []]);
    });

  it('has the size to which the browser enlarges a GIF', async () => {
    const size = await decode(createGif(30, 20, 2, { width: 1, height: 40 }));
    assert.deepEqual(size, { width: 30, height: 40 });
  });

  it('is as wide as the page at most, and is seen as a whole', async () => {
    await decode(createPng(4_000, 3_000));
    const { width, height } = await place();
    assert.ok(width > 600 && width <= 836, `${width} px wide`);
    assert.ok(Math.abs(width / height - 4 / 3) < 0.01, `${width} × ${height}`);
    await decode(createPng(10, 9_000));
    assert.ok((await place()).height <= 1_080);
  });

  it('is a sentence if it cannot be decoded, moving or not', async () => {
    const sentence = stand.page.locator('.part-preview bdi', { hasText: "The image can't be shown: it is damaged." });
    for (const reducedMotion of ['no-preference', 'reduce'] as const) {
      await stand.page.emulateMedia({ reducedMotion });
      await stand.reload();
      await show(imagePreview(createPng(600, 400).subarray(0, 40)));
      await sentence.waitFor();
      assert.equal(await stand.page.locator('.part-preview :is(img, canvas)').count(), 0);
    }
  });

  it('does not move if motion is reduced', async () => {
    await stand.page.emulateMedia({ reducedMotion: 'reduce' });
    await show(imagePreview(createGif(30, 20, 2), { type: 'image/gif', width: 30, height: 20 }));
    await stand.page.getByRole('img', { name: /^i.+GIF, 30 × 20 px$/ }).waitFor();
    await stand.page.waitForFunction(`document.querySelector('.part-preview canvas').width === 30`);
    assert.equal((await place()).height, 20);
    assert.equal(await stand.page.locator('.part-preview img').count(), 0);
    assert.deepEqual([stand.errors, stand.requests], [[], []]);
  });

  it('can be opened instead if it is large', async () => {
    await show({ state: 'problem', text: `It has 4.2 MB ${script}.`, remedy: 'open' });
    const section = stand.page.locator('.part-preview');
    assert.deepEqual(await section.getByRole('button').allInnerTexts(), ['Open']);
    await section.getByRole('button', { name: 'Open' }).click();
    assert.deepEqual((await stand.getMessages()).at(-1), { type: 'open' });
  });

  it('is the only one that the page can load', async () => {
    await show(imagePreview(createPng(6, 4)));
    const gif = `data:image/gif;base64,${createGif(1, 1).toString('base64')}`;
    const addresses = [gif, 'https://elsewhere.test/a.png', '/a.png'];
    const ends = await stand.page.evaluate<readonly string[]>(`Promise.all(${JSON.stringify(addresses)}.map(
      (address) => new Promise((resolve) => {
        const image = new Image();
        image.onload = image.onerror = ({ type }) => resolve(type);
        image.src = address;
      })))`);
    assert.deepEqual(ends, ['error', 'error', 'error']);
    assert.equal(stand.errors.splice(0).filter((text) => text.includes('img-src blob:')).length, 3);
    assert.deepEqual(stand.requests, []);
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
