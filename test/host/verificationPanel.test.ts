import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { extensions, Uri, window } from 'vscode';
import { systemClock } from '../../src/core/util/clock.ts';
import type { ReportTable } from '../../src/core/verification/reportRows.ts';
import { Notifications } from '../../src/extension/editor/notifications.ts';
import { StateFiles, VerificationHistory, type StoredReport } from '../../src/extension/editor/stateFiles.ts';
import { VerificationPanels } from '../../src/extension/features/verification/verificationPanel.ts';
import type { TableHostMessage, TableIntent, TableSnapshot } from '../../src/webviews/messages/tableMessages.ts';
import { MemoryLog } from '../support/memoryLog.ts';
import { ScriptedWindow } from '../support/scriptedWindow.ts';
import { SilentPanel } from './silentPanel.ts';
import { extensionId } from './stage.ts';

/** A panel whose page is the test. */
class ReportPanel extends SilentPanel<TableHostMessage, TableIntent> {
  get snapshot(): TableSnapshot {
    const shown = this.posted.flatMap((message) => (message.type === 'rows' ? [] : [message.snapshot]));
    return shown.at(-1) ?? assert.fail('no snapshot');
  }

  /** Returns the cells of the rows in the first chunk. */
  readRows(): readonly (readonly unknown[])[] {
    this.send({ type: 'rows', chunk: 0 });
    const rows = this.posted.at(-1);
    assert.ok(rows?.type === 'rows');
    assert.ok(rows.rows.every(({ isChecked }) => isChecked === undefined));
    return rows.rows.map(({ cells }) => cells);
  }
}

describe('The report on a verification', () => {
  let folder: string;
  let history: VerificationHistory;
  let panels: VerificationPanels;
  let ran: unknown[];
  let log: MemoryLog;

  beforeEach(async () => {
    const { extensionUri } = extensions.getExtension(extensionId) ?? assert.fail('no extension');
    folder = await mkdtemp(join(tmpdir(), 'reports-'));
    log = new MemoryLog();
    const editorState = { get: () => undefined, update: () => Promise.resolve() };
    history = new VerificationHistory(new StateFiles({ folder, editorState, clock: systemClock, log }));
    ran = [];
    const notifications = new Notifications((_, error) => assert.fail(String(error)));
    panels = new VerificationPanels({ extensionUri, log, notifications, history, run: (...one) => ran.push(one) });
  });
  afterEach(async () => {
    panels.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  const table = (more: Partial<ReportTable> = {}): ReportTable => ({
    title: 'Verification: Received Files',
    summary: '1 of 3 files is missing.',
    isVerified: false,
    subject: 'Sample Data → Received Files · 10:42 AM',
    manifest: join(folder, 'dts-1', 'manifest.json'),
    rows: [
      { state: 'missing', subject: 'data/b.csv', sizeBytes: 7 },
      { state: 'unreadableFolder', subject: 'secret', detail: 'EACCES' },
      { state: 'intact', subject: 'a.csv', sizeBytes: 5 },
    ],
    omittedCount: 0,
    ...more,
  });
  const show = async (report: StoredReport, more: object = {}): Promise<ReportPanel> => {
    await history.recordReport(report);
    return await restore({ subject: report.key ?? report.id, filter: '', isToggled: false, active: 0, ...more });
  };
  const restore = async (state: object): Promise<ReportPanel> => {
    const panel = new ReportPanel();
    await panels.restore(panel.panel, state);
    panel.send({ type: 'ready' });
    return panel;
  };

  it('shows problems first, with their size and details, and the verified files', async () => {
    const panel = await show({ key: 't', text: 'text', resend: ['1'], table: table() });
    assert.equal(panel.title, 'Verification: Received Files');
    assert.deepEqual(panel.readRows(), [
      ['data/b.csv', 'Missing', '', 7],
      ['secret', 'Inaccessible folder', 'EACCES', ''],
      ['a.csv', 'Verified', '', 5],
    ]);
    const { remarks, barText, buttons, hasChecks, shownCheckable } = panel.snapshot;
    assert.deepEqual(remarks, [{ kind: 'warning', text: '1 of 3 files is missing.' }]);
    assert.equal(barText, 'Sample Data → Received Files · 10:42 AM');
    assert.deepEqual(
      buttons.map(({ label }) => label),
      ['Transfer Missing or Changed Files Again…', 'Save…'],
    );
    assert.deepEqual([hasChecks, shownCheckable], [false, 0]);
  });

  it('shows only the problems on request, and says why it shows no rows', async () => {
    const panel = await show({ key: 't', text: 'text', resend: [], table: table() }, { isToggled: true });
    assert.deepEqual([panel.readRows().length, panel.snapshot.total], [2, 3]);
    panel.send({ type: 'arrange', filter: 'nothing', isToggled: true });
    assert.equal(panel.snapshot.emptyText, 'No row matches the filter.');
    const rows = [{ state: 'intact', subject: 'a.csv' }] as const;
    const fine = table({ isVerified: true, rows, omittedCount: 4 });
    const other = await show({ id: 'r', text: 'text', resend: [], table: fine }, { isToggled: true });
    assert.equal(other.snapshot.emptyText, 'There are no problems.');
    assert.deepEqual(other.snapshot.remarks, [
      { kind: 'info', text: '1 of 3 files is missing.' },
      { kind: 'info', text: '4 more verified files are not listed.' },
    ]);
    assert.deepEqual(
      other.snapshot.buttons.map(({ type }) => type),
      ['save'],
    );
  });

  it('shows the next verification of the same transfer in the same tab', async () => {
    const panel = await show({ key: 't', text: 'text', resend: ['1'], table: table() });
    const updated = new Promise<void>((resolve) => {
      const { postMessage } = panel.webview;
      panel.webview.postMessage = async (message) => {
        resolve();
        return await postMessage(message);
      };
    });
    const rows = [{ state: 'intact', subject: 'a.csv' }] as const;
    await history.recordReport({ key: 't', text: 'text', resend: [], table: table({ rows }) });
    await history.record('t', { at: 1, fileCount: 1, intactCount: 1 });
    await updated;
    assert.deepEqual(panel.readRows(), [['a.csv', 'Verified']]);
  });

  it('is in one tab, and the newest, if it is shown or replaced while its tab returns', async () => {
    await history.recordReport({ key: 't', text: 'old', resend: [], table: table() });
    const opened = new ReportPanel();
    const { createWebviewPanel } = window;
    Object.assign(window, { createWebviewPanel: () => opened.panel });
    try {
      const panel = new ReportPanel();
      const restored = panels.restore(panel.panel, { subject: 't', filter: 'a', isToggled: false, active: 0 });
      const rows = [{ state: 'intact', subject: 'a.csv' }] as const;
      await panels.show({ key: 't', text: 'new', resend: [], table: table({ rows }) });
      await restored;
      panel.send({ type: 'ready' });
      assert.deepEqual([panel.isClosed, opened.webview.html, panel.readRows()], [false, '', [['a.csv', 'Verified']]]);
      panel.close();
      await panels.show({ key: 't', text: 'new', resend: [], table: table({ rows }) });
      assert.notEqual(opened.webview.html, '');
    } finally {
      Object.assign(window, { createWebviewPanel });
    }
  });

  it('is in one tab if two tabs of the same report return at once', async () => {
    await history.recordReport({ key: 't', text: 'text', resend: [], table: table() });
    const both = [new ReportPanel(), new ReportPanel()];
    const state = { subject: 't', filter: '', isToggled: false, active: 0 };
    await Promise.all(both.map(async ({ panel }) => await panels.restore(panel, state)));
    assert.deepEqual(
      both.map(({ isClosed }) => isClosed),
      [false, true],
    );
  });

  it('transfers the files of its own transfer again', async () => {
    const panel = await show({ key: 't', text: 'text', resend: ['1'], table: table() });
    await history.recordReport({ key: 'u', text: 'newer', resend: ['2'], table: table() });
    panel.send({ type: 'resend' });
    assert.deepEqual(ran, [['dataTransfer.resendFiles', { kind: 'transfer', key: 't' }]]);
  });

  it('saves the text of the report beside the folder, which stays as it was transferred', async () => {
    const person = new ScriptedWindow();
    try {
      const panel = await show({ key: 't', text: 'All of it\n', resend: [], table: table() });
      panel.send({ type: 'save' });
      const dialog = await person.saveDialog();
      const file = join(folder, 'dts-1-verification.txt');
      dialog.choose(Uri.file(file));
      await person.notice(/^Saved the report\.$/);
      assert.equal(await readFile(file, 'utf8'), 'All of it\n');
    } finally {
      person.restore();
    }
  });

  it('says that a report is gone which was not stored, and closes a second tab of the same', async () => {
    await history.recordReport({ key: 'other', text: 'text', resend: ['1'], table: table() });
    const panel = await restore({ subject: 'gone', filter: '', isToggled: false, active: 0 });
    Object.assign(panel, { active: true });
    assert.equal(panels.activeKey, 'gone');
    assert.deepEqual(panel.snapshot.remarks, [
      { kind: 'error', text: 'This report is no longer available. Verify the files again.' },
    ]);
    assert.deepEqual([panel.snapshot.buttons, panel.snapshot.total], [[], 0]);
    const second = new ReportPanel();
    await panels.restore(second.panel, { subject: 'gone', filter: '', isToggled: false, active: 0 });
    assert.equal(second.isClosed, true);
  });
});
