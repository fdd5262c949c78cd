/** A minimal counterpart of the extension: a tree of the same rows, an empty page, and a heap size report. */
import { readdirSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { commands, EventEmitter, TreeItem, TreeItemCheckboxState, ViewColumn, window } from 'vscode';

const rowsInPart = 1000;
const { BENCH_ADDRESS: address, BENCH_TOKEN: token, BENCH_OUTPUT: output } = process.env;
const rows = [];
const changed = new EventEmitter();

const tree = {
  onDidChangeTreeData: changed.event,
  getTreeItem({ kind, start, file }) {
    if (kind === 'file') return rowOf(file);
    const isOpen = kind === 'all' || start === 0 || start + rowsInPart >= rows.length;
    const item = new TreeItem(kind === 'all' ? 'All' : `Rows from ${start + 1}`, isOpen ? 2 : 1);
    item.id = `${kind} ${start}`;
    return item;
  },
  getChildren(parent) {
    if (!parent) return rows.length > 0 ? [{ kind: 'all' }] : [];
    if (parent.kind === 'part')
      return rows.slice(parent.start, parent.start + rowsInPart).map((file) => ({ kind: 'file', file }));
    return Array.from({ length: rows.length / rowsInPart }, (_, index) => ({
      kind: 'part',
      start: index * rowsInPart,
    }));
  },
};

function rowOf(file) {
  const item = new TreeItem(file.name);
  item.id = file.id;
  item.description = file.path;
  item.checkboxState = TreeItemCheckboxState.Unchecked;
  item.command = { command: 'bare.showPage', title: 'Show', arguments: [file.name] };
  return item;
}

/** Requests all files of a database, and shows a row for each. */
async function makeRows() {
  for (let offset = 0; ; offset = rows.length) {
    const response = await fetch(`${address}/api/v1/files`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ database: 'Tree', orcid: '0000-0002-1825-0097', query: 'sample', limit: 10_000, offset }),
    });
    const { resources } = await response.json();
    rows.push(...resources);
    if (resources.length === 0) break;
  }
  changed.fire();
}

function showPage(title) {
  const panel = window.createWebviewPanel('bare.page', title, ViewColumn.Active, {});
  panel.webview.html = '<!doctype html><html><body><h1>Empty</h1></body></html>';
}

function measureMemory() {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  writeFileSync(`${output}/${readdirSync(output).length}.txt`, String(process.memoryUsage().heapUsed));
}

export function activate({ subscriptions }) {
  const none = { getChildren: () => [], getTreeItem: (item) => item };
  subscriptions.push(
    commands.registerCommand('bare.makeRows', makeRows),
    commands.registerCommand('bare.showPage', showPage),
    commands.registerCommand('bare.measureMemory', measureMemory),
    window.createTreeView('bare.rows', { treeDataProvider: tree }),
    window.createTreeView('bare.above', { treeDataProvider: none }),
    window.createTreeView('bare.below', { treeDataProvider: none }),
  );
}
