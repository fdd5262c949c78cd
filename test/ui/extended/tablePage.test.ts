import assert from 'node:assert/strict';
import type { ShownRow, TableIntent } from '../../../src/webviews/messages/tableMessages.ts';
import { PageStand } from '../../support/pageStand.ts';
import { hostileResource, tableNews, tablePages, tableRows } from '../../support/pageStates.ts';

const many = { total: 50_000, shown: 50_000 };

describe('The page of a table', () => {
  let stand: PageStand;

  before(async () => {
    stand = await PageStand.open('table');
  });
  beforeEach(() => stand.reload());
  after(() => stand.close());

  const press = async (...keys: readonly string[]): Promise<void> => {
    await stand.page.locator('[role=grid]').focus();
    for (const key of keys) await stand.page.keyboard.press(key);
  };
  /** Returns what the page has sent, except its requests for rows. */
  const readIntents = async (): Promise<readonly unknown[]> =>
    (await stand.getMessages()).filter(({ type }) => type !== 'ready' && type !== 'rows');
  const readActive = (): Promise<string | null> =>
    stand.page.locator('[role=grid]').getAttribute('aria-activedescendant');

  it('shows each row in one line, as text, whatever it contains', async () => {
    const { name, path, format } = hostileResource;
    const texts = [name, path, format, 'a\nb\r\nc\u2028d', '\t', '', 'x'.repeat(300), 'e\u0301'.repeat(150), 'مرحبا'];
    const rows = texts.map((text, index): ShownRow => ({ key: `${index}`, cells: [text, text, 1], isChecked: false }));
    await stand.send(tableNews(rows));
    const heights = await stand.page.evaluate<number[]>(
      `[...document.querySelectorAll('.rows .row')].map((row) => row.getBoundingClientRect().height)`,
    );
    assert.deepEqual(
      heights,
      texts.map(() => 24),
    );
    assert.equal(await stand.page.locator('.rows img, .rows script, .rows a').count(), 0);
    assert.deepEqual([stand.errors, stand.requests], [[], []]);
  });

  it('contains only the visible ones of 50,000 rows, and asks for those that it lacks', async () => {
    await stand.send(tableNews(tableRows(100), many));
    await press('End');
    assert.equal(await readActive(), 'row-49999');
    assert.ok((await stand.page.locator('.rows .row').count()) < 100);
    const asked = (await stand.getMessages()).filter(({ type }) => type === 'rows') as TableIntent[];
    assert.deepEqual(asked.at(-1), { type: 'rows', chunk: 499 });
    assert.ok(asked.length < 5, `${asked.length} requests`);
    await stand.send({ type: 'rows', version: 1, chunk: 499, rows: tableRows(100, 49_900) });
    await stand.page.getByText('file-49999.csv').waitFor();
  });

  it('is used by keyboard alone', async () => {
    await stand.send(tableNews(tableRows(100), many));
    await press('ArrowDown', 'Space', 'ArrowUp', 'Space', 'PageDown', 'Home', 'ArrowDown', 'Enter', 'Control+a');
    assert.deepEqual(await readIntents(), [
      { type: 'check', index: 1, key: 'f1', isChecked: true },
      { type: 'check', index: 0, key: 'f0', isChecked: false },
      { type: 'open', index: 1, key: 'f1' },
      { type: 'checkShown', isChecked: true },
    ]);
    await press('Control+f');
    await stand.page.keyboard.type('a');
    assert.deepEqual((await readIntents()).at(-1), { type: 'arrange', filter: 'a', isToggled: false });
  });

  it('tells how many rows it has and how they are sorted', async () => {
    await stand.send(tableNews(tableRows(100), { ...many, sort: { column: 'size', isDescending: true } }));
    const grid = stand.page.locator('[role=grid]');
    assert.equal(await grid.getAttribute('aria-rowcount'), '50001');
    assert.equal(await stand.page.locator('#row-0').getAttribute('aria-rowindex'), '2');
    const sorts = await stand.page.evaluate<unknown>(
      `[...document.querySelectorAll('[role=columnheader]')].map((header) => header.getAttribute('aria-sort'))`,
    );
    assert.deepEqual(sorts, [null, 'none', 'none', 'descending']);
  });

  it('opens a file with a double click, and checks it with a click on its box', async () => {
    await stand.send(tableNews(tableRows(3)));
    await stand.page.getByText('file-1.csv').dblclick();
    await stand.page.locator('#row-2 .check').click();
    assert.deepEqual(await readIntents(), [
      { type: 'open', index: 1, key: 'f1' },
      { type: 'check', index: 2, key: 'f2', isChecked: true },
    ]);
  });

  it('has no check boxes if no row can be checked, and sends what its buttons are for', async () => {
    await stand.send(tablePages['a report with problems'] ?? assert.fail());
    assert.equal(await stand.page.locator('[role=checkbox], .cell.check, .box').count(), 0);
    assert.equal(await stand.page.locator('[aria-selected]').count(), 0);
    await press('ArrowDown', 'Space', 'Enter');
    await stand.page.getByText('Transfer Missing or Changed Files Again…').click();
    await stand.page.getByText('Problems only').click();
    assert.deepEqual(await readIntents(), [
      { type: 'open', index: 1, key: '1' },
      { type: 'resend' },
      { type: 'arrange', filter: '', isToggled: true },
    ]);
  });
});
