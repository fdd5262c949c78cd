import assert from 'node:assert/strict';
import { window } from 'vscode';
import { SearchStore } from '../../src/core/search/searchStore.ts';
import type { FileRef } from '../../src/extension/editor/contributions.ts';
import { createSummary } from '../../src/extension/words/summaryWords.ts';
import { createSearchTree, fileEntry, transfer } from './specimens.ts';
import { Stage } from './stage.ts';

const name = 'barcodes.tsv.gz';
const paths = ['liver', 'lung'].map((folder) => `run/${folder}/${name}`);

describe('Files with the same name', () => {
  it('have the folder that distinguishes them in their rows', () => {
    const store = new SearchStore();
    const tree = createSearchTree(store);
    store.open('s', 'c', { database: 'Alpha', query: '', pageSize: 10 });
    store.add('s', [...paths.map((path) => fileEntry(path, { name, path, sizeBytes: 5 })), fileEntry('other')]);
    store.update('s', { isLoading: false, mayHaveMore: false });
    const items = tree.getChildren(tree.getRoot('s')).map((node) => tree.getTreeItem(node));
    assert.deepEqual(
      items.map(({ description }) => description),
      ['liver · 5 bytes', 'lung · 5 bytes', ''],
    );
    const [{ checkboxState } = {}] = items;
    assert.ok(typeof checkboxState === 'object');
    assert.equal(checkboxState.accessibilityInformation?.label, `Check ${name}, liver`);
    tree.dispose();
  });

  it('have that folder also if they are in different parts of a long list', () => {
    const store = new SearchStore();
    const tree = createSearchTree(store);
    store.open('s', 'c', { database: 'Alpha', query: '', pageSize: 10 });
    const [first = '', second = ''] = paths;
    const others = Array.from({ length: 1_500 }, (_, index) => fileEntry(`${index}.csv`));
    store.add('s', [fileEntry(first, { name, path: first }), ...others, fileEntry(second, { name, path: second })]);
    store.update('s', { isLoading: false, mayHaveMore: false });
    const parts = tree.getChildren(tree.getRoot('s')).filter(({ kind }) => kind === 'part');
    const rows = parts.flatMap((part) => tree.getChildren(part)).map((node) => tree.getTreeItem(node));
    assert.deepEqual(
      rows.filter(({ label }) => label === name).map(({ description }) => description),
      ['liver', 'lung'],
    );
    assert.equal(rows.filter(({ description }) => description !== '').length, 2);
    tree.dispose();
  });

  it('are compared once for each list, not again for each redraw of a part', () => {
    const store = new SearchStore();
    const tree = createSearchTree(store);
    store.open('s', 'c', { database: 'Alpha', query: '', pageSize: 10 });
    let reads = 0;
    const files = Array.from({ length: 3_000 }, (_, index) => {
      const path = `run/${index}/${name}`;
      return Object.defineProperty(fileEntry(path, { name }), 'path', { get: () => ((reads += 1), path) });
    });
    store.add('s', files);
    store.update('s', { isLoading: false, mayHaveMore: false });
    const draw = (): string[] => {
      const parts = tree.getChildren(tree.getRoot('s')).filter(({ kind }) => kind === 'part');
      const nodes = parts.flatMap((part) => tree.getChildren(part)).filter((node) => node.kind === 'file');
      return nodes.map(({ folder = '' }) => folder);
    };
    const drawn = draw();
    assert.deepEqual([drawn.length, drawn[0], drawn.at(-1)], [3_000, '0', '2999']);
    assert.equal(reads, 3_000, 'the first time');
    assert.deepEqual(draw(), drawn);
    assert.equal(reads, 3_000, 'no path is read again');
    store.add('s', [fileEntry('x/y', { name, path: 'x/y' })]);
    assert.equal(draw().length, 3_001);
    assert.equal(reads, 6_000, 'a longer list is compared again');
    tree.dispose();
  });

  it('have that folder in the summary of a transfer, also if the other file is not among those named', () => {
    const files = ['a', 'b', 'c'].map((id) => ({ id, name: `${id}.csv` }));
    const [first = '', second = ''] = paths;
    const orders = [transfer('t', {}, { files: [{ id: first, name }, ...files, { id: second, name }] }).order];
    const { lines } = createSummary(orders, {
      getStaging: () => undefined,
      getCluster: () => undefined,
      freeBytes: undefined,
    });
    assert.equal(lines[0], `Files: liver/${name}, a.csv, b.csv and 2 more`);
  });

  describe('in tabs', () => {
    let stage: Stage;
    beforeEach(async () => {
      stage = await Stage.openConnected();
      await stage.closePages();
    });
    afterEach(async () => {
      await stage.closePages();
      await stage.close();
    });

    it('have that folder only while both are open', async () => {
      const { metadataPanels } = stage.parts;
      const refs = paths.map((id): FileRef => ({ connectionId: 'c', database: 'Alpha', id, name }));
      for (const ref of refs) metadataPanels.show(ref, undefined, { pin: true });
      await stage.tab(`liver/${name}`);
      await window.tabGroups.close(await stage.tab(`lung/${name}`));
      await stage.tab(name);
    });
  });
});
