import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CancellationTokenSource, commands, env, Selection, Uri, window, workspace } from 'vscode';
import type { CommandArguments } from '../../src/extension/editor/contributions.ts';
import type { TransferState, TransferStatus } from '../../src/core/model/transferModel.ts';
import { problem, silence } from '../support/faultBehaviors.ts';
import { transfer } from './specimens.ts';
import { Stage } from './stage.ts';

const database = 'JGI Data Portal';
const credit = {
  titles: [{ title: 'Soil & *water*' }],
  publisher: { organization_name: 'Joint Genome Institute' },
  contributors: [{ contributor_type: 'Person', family_name: 'Carberry', given_name: 'Josiah' }],
  related_identifiers: [{ id: 'doi:10.25345/C58K7520G', description: 'Dataset DOI' }],
  dates: [{ event: 'Created', date: '2021-08-26' }],
};

describe('Citing', () => {
  let stage: Stage;
  let folder: string;
  beforeEach(async () => {
    stage = await Stage.openConnected();
    folder = await mkdtemp(join(tmpdir(), 'cite-'));
  });
  afterEach(async () => {
    await stage.closePages();
    await stage.close();
    await rm(folder, { recursive: true, force: true });
  });

  const cite = async (
    argument: CommandArguments['dataTransfer.cite'],
    format: string,
    action: string,
  ): Promise<void> => {
    const done = stage.run('dataTransfer.cite', argument);
    (await stage.person.pick()).choose(format);
    (await stage.person.pick()).choose(action);
    await done;
  };
  const writeManifest = async (content: unknown): Promise<Uri> => {
    const file = join(folder, 'manifest.json');
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
    return Uri.file(file);
  };
  const saveTransfer = async (state: TransferState, status: TransferStatus = {}): Promise<void> => {
    const connectionId = stage.parts.sessions.active?.connection.id ?? '';
    const files = ['JDP:000011', 'JDP:000012'].map((id) => ({ id, name: `${id}.csv` }));
    const changes = [{ state, at: new Date(2026, 10, 22, 12).getTime() }];
    const order = { connectionId, source: database, files };
    await stage.parts.transferFlow.save(transfer('cited', { state, status, changes }, order));
  };
  const resources = ['a.fastq', 'b.fastq'].map((name) => ({ id: name, name, path: `x/${name}`, credit }));

  it('copies one BibTeX entry for two files of a manifest that share a DOI', async () => {
    const manifest = await writeManifest({ name: 'manifest', created: '2026-11-20T17:10:52Z', resources });
    await cite(manifest, 'BibTeX', 'Copy');
    const text = await env.clipboard.readText();
    assert.equal(text.match(/@dataset/g)?.length, 1);
    assert.match(text, /author = \{Carberry, Josiah\}/);
    assert.match(text, /title = \{\{Soil \\& \*water\*\}\}/);
    assert.doesNotMatch(text, /urldate/);
    assert.deepEqual(stage.person.statusMessages.slice(-1), ['Copied 1 citation.']);
  });

  it('cites every file of a search, and the checked files if nothing is given', async () => {
    const search = await stage.search(database, 'JDP:00001');
    await cite({ kind: 'search', key: search.key }, 'RIS', 'Copy');
    const name = search.files.map((file) => (file.kind === 'file' ? file.name : ''))[0] ?? '';
    const more = search.files.length - 1;
    assert.match(
      await env.clipboard.readText(),
      new RegExp(`^TI  - ${name} and ${more} more files \\(${database}\\)\r$`, 'm'),
    );
    const [first] = search.files;
    assert.ok(first?.kind === 'file');
    stage.parts.searchStore.setChecked(search.key, [first], true);
    const done = stage.run('dataTransfer.cite');
    (await stage.person.pick()).choose('Plain text (APA)');
    (await stage.person.pick()).choose('Copy');
    await done;
    assert.equal(await env.clipboard.readText(), `${name} (${database}) [Data set]. (n.d.).\n`);
  });

  it('cites the files of a transfer with the day on which its end was observed', async () => {
    await saveTransfer('succeeded');
    await cite({ kind: 'transfer', key: 'cited' }, 'CSL-JSON', 'Copy');
    const [item] = JSON.parse(await env.clipboard.readText()) as readonly [{ readonly accessed: object }];
    assert.deepEqual(item.accessed, { 'date-parts': [[2026, 11, 22]] });
  });

  it('cites the files of a transfer without a day if not all of them were transferred', async () => {
    await saveTransfer('succeeded', { fileCount: 2, movedFileCount: 1 });
    await cite({ kind: 'transfer', key: 'cited' }, 'CSL-JSON', 'Copy');
    assert.doesNotMatch(await env.clipboard.readText(), /accessed/);
  });

  it('cites the files of a transfer from its manifest if the service cannot be reached', async () => {
    await saveTransfer('succeeded');
    const saved = stage.parts.transferStore.get('cited');
    assert.ok(saved?.id !== undefined);
    const { connectionId, destination } = saved.order;
    await stage.parts.memory.rememberDestinationFolder(connectionId, destination, folder);
    stage.server.on('POST /api/v1/files/by-id', problem(503, 'Maintenance.'));
    await stage.run('dataTransfer.cite', { kind: 'transfer', key: 'cited' });
    await stage.person.notice(/^Could not fetch the metadata for 2 files: .*Maintenance\.$/);
    const received = join(folder, `dts-${saved.id}`);
    await mkdir(received);
    const listed = ['JDP:000011', 'JDP:000012'].map((id) => ({ id, name: 'a', path: `x/${id}`, credit }));
    await writeFile(join(received, 'manifest.json'), JSON.stringify({ name: 'manifest', resources: listed }));
    await cite({ kind: 'transfer', key: 'cited' }, 'BibTeX', 'Copy');
    assert.match(await env.clipboard.readText(), /author = \{Carberry, Josiah\}/);
  });

  it('inserts citations at the cursor, and preselects the last format and action', async () => {
    const document = await workspace.openTextDocument({ content: 'before ' });
    const editor = await window.showTextDocument(document);
    editor.selection = new Selection(0, 7, 0, 7);
    const manifest = await writeManifest({ resources });
    await cite(manifest, 'Plain text (APA)', 'Insert at Cursor');
    assert.match(
      document.getText(),
      /^before Carberry, J\. \(2021\)\. Soil & \*water\* \[Data set\]\. Joint Genome Institute\./,
    );
    const again = stage.run('dataTransfer.cite', manifest);
    const format = await stage.person.pick();
    assert.deepEqual(
      format.activeItems.map(({ label }) => label),
      ['Plain text (APA)'],
    );
    format.choose('RIS');
    const action = await stage.person.pick();
    assert.deepEqual(
      action.activeItems.map(({ label }) => label),
      ['Insert at Cursor'],
    );
    action.escape();
    await again;
  });

  it('reports that citations were not inserted if the editor was closed in the meantime', async () => {
    await window.showTextDocument(await workspace.openTextDocument({ content: '' }));
    const done = stage.run('dataTransfer.cite', await writeManifest({ resources }));
    (await stage.person.pick()).choose('BibTeX');
    const action = await stage.person.pick();
    await commands.executeCommand('workbench.action.closeAllEditors');
    action.choose('Insert at Cursor');
    await done;
    await stage.person.notice(/^Could not insert the citations into the editor\. Copy them instead\.$/);
  });

  it('saves a CITATION.cff, and offers to open it', async () => {
    const file = join(folder, 'CITATION.cff');
    const done = stage.run('dataTransfer.cite', await writeManifest({ resources }));
    (await stage.person.pick()).choose('CITATION.cff');
    (await stage.person.pick()).choose('Save As…');
    (await stage.person.saveDialog()).choose(Uri.file(file));
    await done;
    await stage.person.notice(/^Saved the citations\.$/);
    assert.match(await readFile(file, 'utf8'), /^cff-version: "1\.2\.0"\nmessage: "If you use these data/);
  });

  const copyStatement = async (argument: CommandArguments['dataTransfer.cite']): Promise<string> => {
    await env.clipboard.writeText('');
    await stage.run('dataTransfer.copyAvailabilityStatement', argument);
    return await env.clipboard.readText();
  };

  it('copies a data availability statement of a search that names its source and service, but no transfer', async () => {
    const search = await stage.search(database, 'JDP:00001');
    const text = await copyStatement({ kind: 'search', key: search.key });
    const count = `${search.files.length} files from ${database}`;
    const sentence = 'They are available through the data transfer service DTS prototype.';
    assert.ok(text.startsWith(`The data that support this work consist of ${count}. ${sentence}\n\n- `), text);
  });

  const day = '2026-11-22';
  const ended = (state: TransferState, status: TransferStatus = {}): Promise<string> =>
    saveTransfer(state, status).then(() => copyStatement({ kind: 'transfer', key: 'cited' }));
  const service = 'through the data transfer service DTS prototype';
  for (const [state, status, sentence] of [
    ['succeeded', {}, `They were obtained ${service}. The transfer ended on or before ${day}.`],
    [
      'succeeded',
      { fileCount: 2, movedFileCount: 1 },
      `1 of 2 requested files was obtained ${service}. The transfer ended on or before ${day}.`,
    ],
    ['succeeded', { fileCount: 2, movedFileCount: 0 }, `They are available ${service}.`],
    ['failed', { fileCount: 2, movedFileCount: 1 }, `They are available ${service}.`],
    ['cancelled', {}, `They are available ${service}.`],
  ] as const) {
    it(`states "${sentence}" for a transfer with the state ${state} and ${JSON.stringify(status)}`, async () => {
      const text = await ended(state, status);
      assert.ok(text.includes(`from ${database}. ${sentence}\n\n- `), text);
    });
  }

  it('states the date and the DOIs of a manifest in a data availability statement, as escaped Markdown', async () => {
    const reference =
      '- Carberry, J. (2021). Soil & \\*water\\* [Data set]. Joint Genome Institute. <https://doi.org/10.25345/C58K7520G>\n';
    assert.equal(
      await copyStatement(await writeManifest({ resources, created: '2026-11-20' })),
      `The data that support this work consist of 2 files. They were obtained on 2026-11-20.\n\n${reference}`,
    );
    assert.equal(
      await copyStatement(await writeManifest({ resources })),
      `The data that support this work consist of 2 files.\n\n${reference}`,
    );
  });

  it('copies nothing and reports no failure when fetching metadata is canceled', async () => {
    const { withProgress } = window;
    const source = new CancellationTokenSource();
    stage.server.on('POST /api/v1/files/by-id', silence());
    const shown = stage.person.notices.length;
    const isRequested = stage.server.received(stage.server.requests.length + 1);
    Object.assign(window, {
      withProgress: async (_: unknown, task: Parameters<typeof withProgress>[1]) =>
        await task({ report: () => undefined }, source.token),
    });
    try {
      await saveTransfer('succeeded');
      const done = copyStatement({ kind: 'transfer', key: 'cited' });
      await isRequested;
      source.cancel();
      assert.equal(await done, '');
      assert.equal(stage.person.notices.length, shown);
    } finally {
      Object.assign(window, { withProgress });
    }
  });

  for (const [content, message] of [
    ['{', /manifest\.json lists no files\.$/],
    [{ resources: [null, 'x'] }, /manifest\.json lists no files\.$/],
  ] as const) {
    it(`reports that a manifest with ${JSON.stringify(content)} lists no files`, async () => {
      await stage.run('dataTransfer.cite', await writeManifest(content));
      await stage.person.notice(message);
    });
  }

  it('reports a missing manifest, and files whose metadata could not be fetched', async () => {
    await stage.run('dataTransfer.cite', Uri.file(join(folder, 'nothing.json')));
    await stage.person.notice(/^Could not read .*nothing\.json: /);
    const ref = { connectionId: 'none', database, id: 'JDP:000001', name: 'a' };
    await stage.run('dataTransfer.cite', ref);
    await stage.person.notice(/^Could not fetch the metadata for 1 file: not connected to the service\.$/);
  });
});
