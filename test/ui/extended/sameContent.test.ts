import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { savedConnection, type Editor } from '../../support/editor/editor.ts';
import { closeEditors, openEditor } from '../../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../../support/editor/failureArtifacts.ts';
import { fillTransfer } from '../../support/editor/journeySteps.ts';
import { chooseBehavior, json, problem, type Behavior } from '../../support/faultBehaviors.ts';
import { publicLike } from '../../support/faultPersonality.ts';
import { FaultServer } from '../../support/faultServer.ts';

const nmdc = 'National Microbiome Data Collaborative';

/** The files of each database. Two databases contain the same reads under different names. */
const filesByDatabase: Readonly<Record<string, readonly object[]>> = {
  jdp: [createFile('JDP:000001', 'reads.fastq', 'a'), createFile('JDP:000002', 'genes.gff', 'b')],
  kbase: [],
  nmdc: [createFile('nmdc:1', 'copy-of-reads.fastq', 'a')],
};

function createFile(id: string, path: string, digit: string): object {
  return { id, name: path.split('.')[0], path, format: path.split('.')[1], bytes: 5000, hash: digit.repeat(32) };
}

/**
 * Returns a behavior that responds with all files of the requested database, which the request must identify by its ID.
 */
function answerFiles(): Behavior {
  return chooseBehavior(({ body }) => {
    const { database } = JSON.parse(body) as { readonly database: string };
    const resources = filesByDatabase[database];
    return resources ? json({ resources }) : problem(404, `The database '${database}' was not found`);
  });
}

describe('A user who finds the same file in two databases', () => {
  let folder: string;
  let server: FaultServer;
  let editor: Editor;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'same-'));
    server = await FaultServer.start();
    publicLike(server, 'the-key');
    server.on('POST /api/v1/files', answerFiles());
    server.on('POST /api/v1/files/by-id', answerFiles());
    editor = await openEditor({ workspace: folder, ...savedConnection(server.address, 'the-key') });
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
    await server.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  it('sees it in the results, on its page and before a transfer, which still includes it (D60)', async () => {
    const window = await editor.openWindow();
    const results = window.tree('Search Results');
    await window.openContainer('Data Transfer');
    await window.tree('Databases').waitFor('connection', ([first]) => first?.spoken.endsWith(', connected') ?? false);
    await window.command('Data Transfer: Search All Databases…');
    await window.input('genome', /leave empty to list all files/);
    await results.see('reads.fastq', `5 kB · also in ${nmdc}`);
    await results.see('copy-of-reads.fastq', '5 kB · also in JGI Data Portal');
    await results.see('genes.gff', '5 kB');
    await (await results.row('reads.fastq')).click();
    const page = await window.pageFrame('reads.fastq');
    await page.getByText('Also in').waitFor();
    await page.getByText(nmdc).waitFor();
    for (const name of ['reads.fastq', 'genes.gff']) await (await results.row(name)).toggleCheck();
    await window.command('Data Transfer: Transfer Checked Files…');
    await fillTransfer(window, nmdc);
    const { detail, buttons } = await window.notifications.dialog();
    assert.ok(detail.startsWith(`${nmdc} has the content of 1 of these files under another path.\n`), detail);
    assert.ok(!buttons.some((label) => label.startsWith('Leave Out')), buttons.join());
    await window.notifications.answer('Transfer');
    await window
      .tree('Transfers')
      .waitFor('the transfer', (rows) => rows.some(({ spoken }) => spoken.includes(', staging, 2 files')));
    const [submission] = server.requestsTo('POST /api/v1/transfers');
    const { file_ids: ids } = JSON.parse(submission?.body ?? '{}') as { readonly file_ids?: unknown };
    assert.deepEqual(ids, ['JDP:000001', 'JDP:000002']);
  });
});
