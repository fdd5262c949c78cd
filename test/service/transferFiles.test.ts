import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ProblemDocument } from '../../src/contract/contract.ts';
import { callCli } from '../support/cliCall.ts';
import type { Answer } from '../support/contractRig.ts';
import { eventually } from '../support/eventually.ts';
import { ServiceRig } from '../support/serviceRig.ts';

interface FileList {
  readonly files: readonly { readonly [field: string]: unknown; readonly id: string; readonly state: string }[];
  readonly counts: Readonly<Record<string, number>>;
  readonly cursor?: string;
}

const slow = { throttleBytesPerSecond: 1_000_000 };
const ids = ['a.txt', 'big.bin', 'c%2C 1.txt', 'd.txt', 'e.txt'];

describe('The files of a transfer of the local service (D71)', () => {
  let rig: ServiceRig;
  /** A transfer whose third file was removed from the source after it was hashed. */
  let failed: string;

  before(async () => {
    const small = { 'a.txt': 'a', 'c, 1.txt': 'c', 'd.txt': 'd', 'e.txt': 'e' };
    const wrongHash = JSON.stringify({ resources: [{ path: 'b.txt', hash: `sha1:${'0'.repeat(40)}` }] });
    const wrong = { 'wrong/datapackage.json': wrongHash, 'wrong/b.txt': 'b' };
    rig = await ServiceRig.start({ ...small, ...wrong, 'big.bin': 'x'.repeat(4_000_000) }, slow);
    failed = await start(ids);
    await fs.rm(nodePath.join(rig.source, 'c, 1.txt'));
    await rig.waitForStatus(failed, 'failed');
  });
  after(async () => await rig.stop());

  async function request(id: string, query = ''): Promise<Answer> {
    return await rig.call('GET', `/transfers/${id}/files${query}`);
  }

  async function list(id: string, query = ''): Promise<FileList> {
    const { status, body } = await request(id, query);
    assert.equal(status, 200, JSON.stringify(body));
    return body as FileList;
  }

  async function start(fileIds: readonly string[]): Promise<string> {
    const id = await rig.mustSubmit(fileIds);
    await rig.waitForStatus(id, 'active');
    return id;
  }

  /** Runs a transfer of two files, one of which isn't what its metadata states. */
  async function failAtOnce(): Promise<string> {
    const id = await rig.mustSubmit(['wrong/b.txt', 'd.txt']);
    await rig.waitForStatus(id, 'failed');
    return id;
  }

  const expectedFailure = {
    position: 2,
    id: 'c%2C 1.txt',
    path: 'c, 1.txt',
    state: 'failed',
    bytes: 1,
    failedAttempts: 1,
    problem: 'could not read it: it no longer exists',
  };

  it('names the one that failed and why, those that were not begun, and counts those at the destination', async () => {
    const { files, counts, cursor } = await list(failed);
    assert.deepEqual([counts, cursor], [{ failed: 1, unfinished: 2, transferred: 2 }, undefined]);
    assert.deepEqual(
      files.map((file) => [file.id, file.state]),
      [
        ['c%2C 1.txt', 'failed'],
        ['d.txt', 'unfinished'],
        ['e.txt', 'unfinished'],
      ],
    );
    assert.deepEqual(files[0], expectedFailure);
    assert.deepEqual((await list(failed, '?state=failed')).files, [expectedFailure]);
  });

  it('are the same after a restart, and forgotten with the transfer', async () => {
    const id = await failAtOnce();
    const before = await list(id);
    assert.deepEqual(before.counts, { failed: 1, unfinished: 1 });
    await rig.restart(slow);
    assert.deepEqual(await list(id), before);
    const age = (): void =>
      useJournal((journal) => journal.prepare('UPDATE transfers SET ended_at = 0 WHERE id = ?').run(id));
    await rig.restart({ ...slow, whileStopped: age });
    assert.equal((await request(id)).status, 404);
    let rows: unknown;
    const sql = 'SELECT * FROM transfer_files WHERE transfer = ?';
    const read = (): void => useJournal((journal) => (rows = journal.prepare(sql).all(id)));
    await rig.restart({ ...slow, whileStopped: read });
    assert.deepEqual(rows, []);
  });

  it('are being transferred one after the other, and all are listed, filtered and paged', async () => {
    const ordered = ['a.txt', 'big.bin', 'd.txt', 'e.txt'];
    const id = await start(ordered);
    const { files, counts } = await eventually(async () => {
      const page = await list(id);
      return page.counts['transferring'] === 1 && page.counts['transferred'] === 1 ? page : undefined;
    });
    assert.deepEqual(counts, { transferred: 1, transferring: 1, staged: 2 });
    assert.deepEqual(
      files.map((file) => [file.id, file.state]),
      [
        ['a.txt', 'transferred'],
        ['big.bin', 'transferring'],
        ['d.txt', 'staged'],
        ['e.txt', 'staged'],
      ],
    );
    assert.deepEqual((await list(id, '?state=waiting')).files, []);
    await rig.cancel(id);
    await rig.waitForStatus(id, 'failed');
    const pages: (readonly string[])[] = [];
    let cursor: string | undefined = '0';
    while (cursor !== undefined) {
      const page: FileList = await list(id, `?state=unfinished&limit=2&cursor=${cursor}`);
      pages.push(page.files.map((file) => file.id));
      cursor = page.cursor;
    }
    assert.deepEqual(pages, [ordered.slice(1, 3), ordered.slice(3)]);
  });

  it('are only counted after success, when the manifest lists them', async () => {
    const id = await rig.mustSubmit(['a.txt', 'd.txt']);
    await rig.waitForStatus(id, 'succeeded');
    assert.deepEqual(await list(id), { files: [], counts: { transferred: 2 } });
  });

  it('are unknown for an unknown transfer, and for one that failed under version 0.2', async () => {
    const unknown = '00000000-0000-4000-8000-000000000000';
    assert.match(String(((await request(unknown)).body as ProblemDocument).detail), /^There is no transfer /);
    const id = await failAtOnce();
    const forget = (): void =>
      useJournal((journal) => journal.prepare('DELETE FROM transfer_files WHERE transfer = ?').run(id));
    await rig.restart({ ...slow, whileStopped: forget });
    const { status, body } = await request(id);
    assert.deepEqual([status, (await rig.status(id)).status], [404, 'failed']);
    assert.match(String((body as ProblemDocument).detail), /ended under an earlier version, are no longer known\.$/);
  });

  it('need a valid state, limit and cursor', async () => {
    const id = await rig.mustSubmit(['a.txt']);
    const { status, body } = await request(id, '?state=lost&limit=10001&cursor=a&page=1');
    const locations = (body as ProblemDocument).errors?.map(({ location }) => location);
    assert.deepEqual([status, locations?.sort()], [422, ['query.cursor', 'query.limit', 'query.page', 'query.state']]);
  });

  async function run(...args: readonly string[]): ReturnType<typeof callCli> {
    const { address, token } = rig.service;
    const connection = ['--server', address, '--orcid', '0000-0002-1825-0097', '--key-variable', 'THE_KEY'];
    const environment = { THE_KEY: token, DATA_TRANSFER_LEDGER: nodePath.join(rig.root, 'ledger') };
    return await callCli([...args, ...connection], { environment });
  }

  it('are counted by the command line once all have arrived, which then names the command that lists them', async () => {
    const id = await rig.mustSubmit(['a.txt', 'd.txt']);
    await rig.waitForStatus(id, 'succeeded');
    const { code, stderr } = await run('status', id, '--files');
    assert.equal(code, 0, stderr);
    assert.deepEqual(stderr.split('\n'), [
      `The service only counts files that have arrived. To list them: data-transfer export ${id}`,
      `${id}: 2 arrived.`,
      '',
    ]);
  });

  it('are printed by the command line, those that failed first', async () => {
    const printed = await run('status', failed, '--files');
    assert.equal(printed.code, 0, printed.stderr);
    assert.deepEqual(
      printed.stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, '|')),
      [
        'STATE|SIZE|FILE|PROBLEM',
        'failed|1 B|c, 1.txt|could not read it: it no longer exists',
        'not begun or stopped|1 B|d.txt',
        'not begun or stopped|1 B|e.txt',
        '',
      ],
    );
    assert.match(printed.stderr, /: 1 failed to arrive, 2 not begun or stopped, 2 arrived\.$/m);
    const { stdout } = await run('status', failed, '--files', '--limit', '1', '--json');
    const { transfers } = JSON.parse(stdout) as { readonly transfers: readonly [Record<string, unknown>] };
    assert.deepEqual(transfers[0]['fileCounts'], { failed: 1, unfinished: 2, transferred: 2 });
    assert.deepEqual(transfers[0]['fileStates'], [expectedFailure]);
    assert.equal((await run('status', '--files')).code, 2);
  });

  function useJournal(work: (journal: DatabaseSync) => unknown): void {
    const journal = new DatabaseSync(nodePath.join(rig.root, 'data', 'journal.db'));
    work(journal);
    journal.close();
  }
});
