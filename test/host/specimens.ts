import assert from 'node:assert/strict';
import type { TreeItem } from 'vscode';
import type { FileEntry } from '../../src/core/model/fileEntry.ts';
import type { ConnectionStore } from '../../src/core/connections/connectionStore.ts';
import { CopyIndex } from '../../src/core/duplicates/copyIndex.ts';
import { SearchStore } from '../../src/core/search/searchStore.ts';
import { ParameterStore, SearchabilityStore } from '../../src/core/search/searchabilityStore.ts';
import { DatabaseTree } from '../../src/extension/features/connections/databaseTree.ts';
import type { findPlace, TransferPage } from '../../src/extension/features/transfers/transferPanel.ts';
import type { Transfer, TransferOrder } from '../../src/core/model/transferModel.ts';
import { Lifetime } from '../../src/core/util/lifetime.ts';
import type { PlanList } from '../../src/extension/features/transfers/transferItems.ts';
import type { TransferTreeDependencies } from '../../src/extension/features/transfers/transferTree.ts';
import type { SearchTreeNode } from '../../src/extension/views/nodes.ts';
import { SearchTree } from '../../src/extension/features/search/searchTree.ts';

/** Creates a search result. */
export function fileEntry(id: string, more: Partial<FileEntry> = {}): FileEntry {
  return { kind: 'file', id, database: 'Alpha', name: `${id}.csv`, resource: { id }, ...more };
}

/**
 * Creates a database tree in which the settings list the folders and stores at the addresses `saved`. Search parameters
 * come only from the store.
 */
export function databaseTree(
  store: ConnectionStore,
  parameters = new ParameterStore(),
  saved: readonly string[] = [],
): DatabaseTree {
  return new DatabaseTree({
    store,
    parameters,
    searchability: new SearchabilityStore(),
    loadParameters: () => undefined,
    isSaved: (url) => saved.includes(url),
  });
}

/** A list of proposed transfers that is always empty. */
export const noPlans: PlanList = { getAll: () => [], get: () => undefined, onDidChange: () => new Lifetime() };

/** Verifications of a window in which nothing was verified yet. */
export const noVerifications: TransferTreeDependencies['verifications'] = {
  getAll: async () => new Map(),
  onDidChange: () => new Lifetime(),
};

/** Page dependencies for a service that doesn't know the states of files. */
export const noFileStates: ConstructorParameters<typeof TransferPage>[1]['fileStates'] = {
  getOverview: async () => undefined,
  onDidChangeConnections: () => ({ dispose: () => undefined }),
};

/** Page dependencies that never find transferred files. */
export const noPlaces: Parameters<typeof findPlace>[2] = {
  locateFiles: async () => undefined,
  verificationHistory: {
    get: async () => undefined,
    findReport: async () => undefined,
    onDidChange: () => ({ dispose: () => undefined }),
  },
};

/** Creates a transfer of two files from Alpha to Beta. */
export function transfer(key: string, more: Partial<Transfer> = {}, order: Partial<TransferOrder> = {}): Transfer {
  const files = [fileEntry('f1'), fileEntry('f2')].map(({ id, name }) => ({ id, name }));
  const createdAt = Date.UTC(2026, 0, 1);
  const state = more.state ?? 'active';
  return {
    key,
    order: { connectionId: 'c', orcid: '0000-0002-1825-0097', source: 'Alpha', destination: 'Beta', files, ...order },
    createdAt,
    state,
    changes: [{ state, at: createdAt }],
    id: `id-${key}`,
    ...more,
  };
}

/** Returns a value as a plain string. Throws if it is Markdown or a label with highlights. */
export function getText(value: unknown): string {
  assert.ok(typeof value === 'string', 'it is plain text');
  return value;
}

/** Returns the label of a row. */
export function getLabel(item: TreeItem): string {
  return getText(item.label);
}

/** Returns the label and description of a row as displayed. */
export function formatRow(item: TreeItem): string {
  const { description } = item;
  return [getLabel(item), typeof description === 'string' ? description : ''].filter(Boolean).join(' | ');
}

/** Creates the tree of searches of one connection. By default, it knows of no file that several databases have. */
export function createSearchTree(store: SearchStore, copies = new CopyIndex(new SearchStore())): SearchTree {
  return new SearchTree(store, { shown: undefined, getName: () => '', onDidChange: () => new Lifetime() }, copies);
}

/** Functions that read the rows of the search results. */
export interface SearchRows {
  readonly items: (parent?: SearchTreeNode) => readonly TreeItem[];
  /** Returns the top rows as displayed. */
  readonly roots: () => readonly string[];
  /** Returns the rows below a search as displayed. */
  readonly rows: (key: string) => readonly string[];
}

/** Returns functions that read the rows of a tree. */
export function readSearchRows(tree: SearchTree): SearchRows {
  const items: SearchRows['items'] = (parent) => tree.getChildren(parent).map((node) => tree.getTreeItem(node));
  return {
    items,
    roots: () => items().map(formatRow),
    rows: (key) => items(tree.getRoot(key)).map(formatRow),
  };
}

/** Text that a malicious server may send to attack or mislead the user. */
export const hostileTexts: Readonly<Record<string, string>> = {
  'HTML markup': '<img src=x onerror=alert(1)><b>bold</b>',
  'an icon': '$(alert) $(loading~spin)',
  'a command link': '[click](command:workbench.action.quit)',
  'line breaks': 'one\ntwo\r\nthree\u2028four\u2029five\u0085six',
  'control characters': 'a\u0000b\u0007c\u001b[31md\u007f',
  'bidirectional control characters': 'safe\u202efdp.exe\u2066x\u2069\u200f',
  'a hundred thousand characters': 'long '.repeat(20_000),
  'eighty combining marks': `Z${'\u0301'.repeat(80)}algo`,
  'nothing but control characters': '\u0000\u0001\u200b',
};

/** Asserts that a text is a single short line of visible characters. */
export function assertPlain(text: string, what: string): void {
  assert.doesNotMatch(text, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u, `${what} is plain`);
  assert.doesNotMatch(text, /\p{M}{7}/u, `${what} has no stack of marks`);
  assert.ok(text.length <= 1000, `${what} is short, not ${text.length} characters`);
}

/** Asserts that a row contains only plain text and has a visible label. */
export function assertPlainRow(item: TreeItem): void {
  assert.notEqual(getLabel(item).trim(), '', 'the label is not empty');
  assertPlain(getLabel(item), 'the label');
  const { description, tooltip, accessibilityInformation } = item;
  assertPlain(accessibilityInformation?.label ?? '', 'the accessible label');
  assert.ok(description === undefined || typeof description === 'string', 'the description is text');
  assertPlain(description ?? '', 'the description');
  assert.ok(tooltip === undefined || typeof tooltip === 'string', 'the tooltip is text, not Markdown');
  for (const line of tooltip?.split('\n') ?? []) assertPlain(line, 'a line of the tooltip');
}
