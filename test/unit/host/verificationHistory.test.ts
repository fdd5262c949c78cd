import assert from 'node:assert/strict';
import fs, { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { systemClock } from '../../../src/core/util/clock.ts';
import { getPastResult, toPastVerification } from '../../../src/core/verification/pastVerification.ts';
import type { ReportTable } from '../../../src/core/verification/reportRows.ts';
import type { VerificationReport } from '../../../src/core/verification/verification.ts';
import { StateFiles, VerificationHistory } from '../../../src/extension/editor/stateFiles.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

describe('The history of verifications', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'verifications-'))));
  afterEach(async () => {
    mock.restoreAll();
    syncBuiltinESMExports();
    await rm(folder, { recursive: true, force: true });
  });

  /** Returns the history of a new window. */
  function openWindow(): VerificationHistory {
    const editorState = { get: () => undefined, update: () => Promise.resolve() };
    return new VerificationHistory(new StateFiles({ folder, editorState, clock: systemClock, log: new MemoryLog() }));
  }

  /** Returns the paths of the state files whose content matches. */
  async function listFilesWith(content: RegExp): Promise<readonly string[]> {
    const paths = (await readdir(folder)).filter((name) => name.endsWith('.json')).map((name) => join(folder, name));
    const isMatch = await Promise.all(paths.map(async (path) => content.test(await readFile(path, 'utf8'))));
    return paths.filter((_, index) => isMatch[index]);
  }

  const past = { at: 5, fileCount: 3, intactCount: 2, damaged: ['a.csv'] };

  it('keeps the last verification of a transfer for the next window, and reports each change', async () => {
    const history = openWindow();
    const reported: string[] = [];
    history.onDidChange((key) => reported.push(key));
    await history.record('t', { at: 1, fileCount: 3, intactCount: 3 });
    await history.record('t', past);
    assert.deepEqual(reported, ['t', 't']);
    assert.deepEqual(await openWindow().get('t'), past);
    assert.equal(await openWindow().get('u'), undefined);
  });

  it('returns the last report on a transfer and the newest report, and reads no other', async () => {
    const history = openWindow();
    await history.recordReport({ key: 't', text: 'first of t', resend: [] });
    await history.recordReport({ key: 'u', text: 'of u', resend: ['1'] });
    await history.recordReport({ key: 't', text: 'second of t', resend: ['2', '3'] });
    await history.recordReport({ text: 'of an unknown transfer', resend: [] });
    const reports = await Promise.all(['t', 'u', undefined, 'v'].map((key) => openWindow().getReport(key)));
    const texts = ['second of t', 'of u', 'of an unknown transfer', undefined];
    assert.deepEqual(
      reports.map((one) => one?.text),
      texts,
    );
    assert.deepEqual(reports[0]?.resend, ['2', '3']);
    for (const file of await listFilesWith(/of t|of an unknown/)) await writeFile(file, '{');
    assert.equal((await openWindow().getReport('u'))?.text, 'of u');
    const facts = await Promise.all(['t', 'u', 'v'].map(async (key) => await openWindow().findReport(key)));
    assert.deepEqual(
      facts.map((one) => one?.canResend),
      [true, true, undefined],
    );
    assert.equal(await openWindow().getReport('t'), undefined);
  });

  it('stores the 20 newest reports, apart from one that is too long', async () => {
    const history = openWindow();
    await history.recordReport({ key: 't20', text: 'x', resend: [] });
    for (let index = 0; index <= 20; index += 1)
      await history.recordReport({ key: `t${index}`, text: `report ${index}`, resend: [] });
    const texts = await Promise.all(['t0', 't1', 't20'].map(async (key) => (await history.getReport(key))?.text));
    assert.deepEqual(texts, [undefined, 'report 1', 'report 20']);
    await history.recordReport({ key: 't1', text: 'x'.repeat(500_001), resend: [] });
    assert.deepEqual([await openWindow().getReport('t1'), await history.findReport('t1')], [undefined, undefined]);
    assert.equal((await history.getReport('t1'))?.text.length, 500_001);
    assert.equal((await listFilesWith(/report \d/)).length, 20);
    assert.equal((await history.getReport())?.key, 't1');
    await openWindow().recordReport({ key: 't1', text: 'newer', resend: [] });
    assert.equal((await history.getReport('t1'))?.text, 'newer');
  });

  const table: ReportTable = {
    title: 'Verification: Received Files',
    summary: '1 of 2 files is missing.',
    isVerified: false,
    subject: 'Sample Data → Received Files',
    manifest: '/received/dts-1/manifest.json',
    rows: [
      { state: 'missing', subject: 'a.csv', sizeBytes: 3, detail: 'gone' },
      { state: 'intact', subject: 'b.csv' },
    ],
    omittedCount: 0,
  };

  it('keeps the table of a report for the next window, unless it has too many rows', async () => {
    const history = openWindow();
    const many = { ...table, rows: Array.from({ length: 20_001 }, () => ({ state: 'intact', subject: 'a' }) as const) };
    await history.recordReport({ key: 't', text: 'of t', resend: [], table });
    await history.recordReport({ id: 'r', text: 'of a manifest', resend: [], table });
    await history.recordReport({ key: 'u', text: 'of u', resend: ['1'], table: many });
    const reports = await Promise.all(['t', 'r', 'u'].map((key) => openWindow().getReport(key)));
    assert.deepEqual(reports, [
      { key: 't', text: 'of t', resend: [], table },
      { id: 'r', text: 'of a manifest', resend: [], table },
      { key: 'u', text: 'of u', resend: ['1'] },
    ]);
  });

  it('returns the text of a report without a table, as earlier versions stored it, or with a damaged one', async () => {
    const history = openWindow();
    await history.recordReport({ key: 'old', text: 'old text', resend: ['1'] });
    assert.deepEqual(await openWindow().getReport('old'), { key: 'old', text: 'old text', resend: ['1'] });
    const damaged: readonly object[] = [
      { rows: 'none' },
      { rows: [{ state: 'unknown', subject: 'a' }] },
      { rows: [{ state: 'intact', subject: 1 }] },
      { summary: 1 },
      { omittedCount: 'many' },
      { isVerified: undefined },
    ];
    for (const change of damaged) {
      await history.recordReport({ key: 't', text: 'of t', resend: [], table: { ...table, ...change } });
      assert.deepEqual(
        await openWindow().getReport('t'),
        { key: 't', text: 'of t', resend: [] },
        JSON.stringify(change),
      );
    }
  });

  it('keeps the earlier reports if the window ends between the two files of a new one', async () => {
    const history = openWindow();
    await history.recordReport({ key: 't', text: 'of t', resend: [] });
    await history.recordReport({ key: 'u', text: 'of u', resend: [] });
    const { rename } = fs;
    for (const key of ['t', 'v']) {
      let count = 0;
      mock.method(fs, 'rename', async (from: string, to: string) => {
        count += 1;
        if (count > 1) throw new Error('the window has ended');
        await rename(from, to);
      });
      syncBuiltinESMExports();
      await openWindow().recordReport({ key, text: `new one of ${key}`, resend: ['1'] });
      mock.restoreAll();
      syncBuiltinESMExports();
      const reports = await Promise.all(['t', 'u', undefined, 'v'].map((one) => openWindow().getReport(one)));
      assert.deepEqual(
        reports.map((one) => one?.text),
        ['of t', 'of u', 'of u', undefined],
      );
      const facts = await Promise.all(['t', 'v'].map((one) => openWindow().findReport(one)));
      assert.deepEqual(
        facts.map((one) => one?.canResend),
        [false, undefined],
      );
    }
  });

  it('ignores a damaged file, and invalid values', async () => {
    const file = join(folder, 'verifications.json');
    await writeFile(file, '{"t":');
    assert.equal(await openWindow().get('t'), undefined);
    const invalid = { t: { at: 'now' }, v: { ...past, damaged: [1] }, w: { ...past, unverified: [1] } };
    await writeFile(file, JSON.stringify({ ...invalid, u: past, x: null }));
    const history = openWindow();
    const found = await Promise.all(['t', 'u', 'v', 'w', 'x'].map((key) => history.get(key)));
    assert.deepEqual(found, [undefined, past, undefined, undefined, undefined]);
    await history.record('t', past);
    assert.deepEqual([await history.get('t'), await history.get('u')], [past, past]);
  });

  it('stores at most 500 transfers, the last verified ones', async () => {
    const all = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`t${index}`, past]));
    await writeFile(join(folder, 'verifications.json'), JSON.stringify(all));
    const history = openWindow();
    await history.record('new', past);
    assert.deepEqual(
      [await history.get('t0'), await history.get('t1'), await history.get('new')],
      [undefined, past, past],
    );
  });

  it('returns the intact files, unless there were too many damaged ones to store', () => {
    const toReport = (count: number, kind: 'missing' | 'notCompared' = 'missing'): VerificationReport => ({
      manifest: {
        file: 'm',
        files: Array.from({ length: 200 }, () => ({ path: 'x', places: [] })),
        problems: [],
        problemCount: 0,
      },
      intactCount: 200 - count,
      findings: Array.from({ length: count }, (_, index) => ({
        file: { path: `f${index}`, places: [] },
        outcome: { kind },
      })),
      extra: { paths: [], isTruncated: false, unreadableFolders: [] },
    });
    const few = toPastVerification(toReport(1), 2, 9);
    assert.deepEqual(few, { at: 9, fileCount: 202, intactCount: 199, damaged: ['f0'] });
    assert.deepEqual([getPastResult(few, 'f0'), getPastResult(few, 'g')], ['damaged', 'intact']);
    const many = toPastVerification(toReport(101), 0, 9);
    assert.deepEqual([many.damaged, getPastResult(many, 'g')], [undefined, 'unknown']);
    assert.equal(getPastResult(toPastVerification(toReport(200), 0, 9), 'g'), 'damaged');
    const unverified = toPastVerification(toReport(1, 'notCompared'), 0, 9);
    assert.deepEqual([getPastResult(unverified, 'f0'), getPastResult(unverified, 'g')], ['unknown', 'intact']);
    assert.equal(getPastResult(toPastVerification(toReport(200, 'notCompared'), 0, 9), 'g'), 'unknown');
  });
});
