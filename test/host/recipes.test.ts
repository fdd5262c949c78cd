import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  commands,
  languages,
  Position,
  TabInputTextDiff,
  Uri,
  window,
  workspace,
  WorkspaceEdit,
  type CodeLens,
} from 'vscode';
import { readLock } from '../../src/core/recipes/recipeLock.ts';
import { until } from '../support/editor/until.ts';
import type { PublicState } from '../support/faultPersonality.ts';
import { Stage } from './stage.ts';

const jgi = 'JGI Data Portal';
const kss = 'KBase Workspace Service (KSS)';

type RecipeCommand = 'runRecipe' | 'runLockedRecipe' | 'dryRunRecipe' | 'compareRecipe' | 'verifyRecipe' | 'citeRecipe';

describe('A recipe in the editor (D61)', () => {
  let stage: Stage;
  let service: PublicState;
  let folder: string;
  beforeEach(async () => {
    stage = await Stage.openConnected();
    service = stage.service;
    service.files.add('JDP:1');
    folder = await mkdtemp(join(tmpdir(), 'recipes-'));
  });
  afterEach(async () => {
    await stage.closePages();
    await stage.close();
    await rm(folder, { recursive: true, force: true });
  });

  const getPath = (name = 'r.transfer.json'): string => join(folder, name);
  const write = async (recipe: object, name?: string): Promise<Uri> => {
    await writeFile(getPath(name), JSON.stringify(recipe, undefined, 2));
    return Uri.file(getPath(name));
  };
  const readText = (name: string): Promise<string> => readFile(getPath(name), 'utf8');
  const byIds = (...ids: readonly string[]): object => ({ from: { database: jgi, ids }, to: { database: kss } });

  /** Runs a recipe and confirms its summary. Resolves to the details of the summary. */
  const runRecipe = async (uri: Uri, command: 'runRecipe' | 'runLockedRecipe' = 'runRecipe'): Promise<string> => {
    const done = stage.run(`dataTransfer.${command}`, uri);
    const summary = await stage.person.notice(/^Transfer .* to .*\?$/);
    summary.press('Transfer');
    await done;
    return summary.detail;
  };
  /** Runs a command and waits for a message that matches `message`. */
  const refused = async (command: RecipeCommand, uri: Uri, message: RegExp): Promise<void> => {
    const done = stage.run(`dataTransfer.${command}`, uri);
    (await stage.person.notice(message)).dismiss();
    await done;
  };
  const dryRun = async (uri: Uri): Promise<readonly string[]> => {
    const done = stage.run('dataTransfer.dryRunRecipe', uri);
    const notice = await stage.person.notice(/^Dry run of /);
    notice.dismiss();
    await done;
    return [notice.message, ...notice.detail.split('\n')];
  };

  /** Waits for a diagnostic of the extension that matches `pattern`. Resolves to its message. */
  const diagnosed = async (uri: Uri, pattern: RegExp): Promise<string> => {
    const find = (): string | undefined =>
      languages.getDiagnostics(uri).find(({ source, message }) => source === 'Data Transfer' && pattern.test(message))
        ?.message;
    return (
      find() ??
      (await new Promise<string>((resolve) => {
        const subscription = languages.onDidChangeDiagnostics(() => {
          const message = find();
          if (message === undefined) return;
          subscription.dispose();
          resolve(message);
        });
      }))
    );
  };

  it('is not run if its unsaved changes cannot be saved', async () => {
    const uri = await write(byIds('JDP:1'));
    const { document } = await window.showTextDocument(uri);
    const edit = new WorkspaceEdit();
    edit.insert(uri, new Position(0, 1), ' ');
    await workspace.applyEdit(edit);
    await rm(getPath());
    await mkdir(getPath());
    await refused('runRecipe', uri, /^Could not save r\.transfer\.json\.$/);
    assert.ok(document.isDirty);
    assert.equal(service.transfers.size, 0);
    await rm(getPath(), { recursive: true });
    await write(byIds('JDP:1'));
    await commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('is run after a confirmation, and its lock names the transfer and the files', async () => {
    const uri = await write({ ...byIds('JDP:1'), description: 'Monthly' });
    const summary = await runRecipe(uri);
    assert.match(summary, /^This recipe hasn't been run yet\./);
    assert.match(summary, /Description: Monthly/);
    const [transfer] = stage.parts.transferStore.getAll();
    const read = await readLock(getPath());
    assert.equal(read.kind, 'valid');
    assert.ok('lock' in read);
    assert.equal(read.lock.transfer.id, transfer?.id);
    assert.deepEqual([read.lock.from, read.lock.to, read.lock.files.map(({ id }) => id)], [jgi, kss, ['JDP:1']]);
  });

  it('names the new folder in the summary, and sends nothing to a service that cannot create it (D24)', async () => {
    const uri = await write({ from: { database: jgi, ids: ['JDP:1'] }, to: { database: kss, folder: 'run-42' } });
    const done = stage.run('dataTransfer.runRecipe', uri);
    const summary = await stage.person.notice(/^Transfer .* to .*\?$/);
    assert.match(summary.detail, /^New folder there: run-42$/m);
    summary.press('Transfer');
    (await stage.person.notice(/the service can't give the folder at the destination a chosen name/)).dismiss();
    await done;
    assert.equal(service.transfers.size, 0);
  });

  it('has the licenses of its files in the summary and the dry run, with a warning, as checked files do', async () => {
    const licenses = [{ name: 'All rights reserved' }];
    service.getMoreFields = () => ({ licenses });
    const uri = await write(byIds('JDP:1'));
    const shown = /^Licenses: All rights reserved \(1 file\)$/m;
    assert.match((await dryRun(uri)).join('\n'), shown);
    const summary = await runRecipe(uri);
    assert.match(summary, shown);
    assert.match(summary, /^The license of 1 file forbids redistribution: All rights reserved$/m);
    const [transfer] = stage.parts.transferStore.getAll();
    assert.deepEqual(transfer?.order.files[0]?.licenses, licenses, 'the record contains the licenses');
    assert.doesNotMatch(await readText('r.transfer.lock.json'), /rights reserved/);
  });

  it('can be run without the files that were transferred before, and its lock still lists them (D60)', async () => {
    service.getMoreFields = (id) => ({ hash: id.slice(-1).repeat(64) });
    service.files.add('JDP:2');
    await runRecipe(await write(byIds('JDP:1')));
    await stage.moveOn(service, 'succeeded');
    const done = stage.run('dataTransfer.runRecipe', await write(byIds('JDP:1', 'JDP:2')));
    const summary = await stage.person.notice(/^Transfer 2 files to .*\?$/);
    assert.match(summary.detail, /^Previously transferred to .*: 1 file\.\n\nSince the last run: /);
    assert.doesNotMatch(summary.detail, /already in/);
    assert.deepEqual(summary.buttons, ['Transfer', 'Leave Out 1 File']);
    summary.press('Leave Out 1 File');
    await done;
    const [transfer] = stage.parts.transferStore.getAll();
    assert.deepEqual(
      transfer?.order.files.map(({ id }) => id),
      ['JDP:2'],
    );
    const read = await readLock(getPath());
    assert.ok('lock' in read);
    assert.deepEqual(
      read.lock.files.map(({ id }) => id),
      ['JDP:1', 'JDP:2'],
    );
  });

  it('lists new and missing files since the last run in a dry run, and sends nothing', async () => {
    await runRecipe(await write(byIds('JDP:1')));
    service.files.add('JDP:2');
    const sent = service.transfers.size;
    const [title, first, ...lines] = await dryRun(await write(byIds('JDP:1', 'JDP:2')));
    assert.deepEqual([title, first], ['Dry run of r.transfer.json: 2 files', 'Since the last run: 1 new, 1 unchanged']);
    assert.equal(lines.filter((line) => line.startsWith('Size: ')).length, 1);
    assert.equal(service.transfers.size, sent);
  });

  it('compares with the lock in the diff editor', async () => {
    const uri = await write(byIds('JDP:1'));
    await runRecipe(uri);
    service.files.add('JDP:2');
    await write(byIds('JDP:1', 'JDP:2'));
    await stage.run('dataTransfer.compareRecipe', uri);
    const { input, label } = window.tabGroups.activeTabGroup.activeTab ?? {};
    assert.equal(label, 'r.transfer.json: lock ↔ current files');
    assert.ok(input instanceof TabInputTextDiff);
    const texts = await Promise.all(
      [input.original, input.modified].map(async (one) => (await workspace.openTextDocument(one)).getText()),
    );
    assert.deepEqual(
      texts.map((text) =>
        text
          .trimEnd()
          .split('\n')
          .map((line) => line.split('\t').at(-1)),
      ),
      [['JDP:1'], ['JDP:1', 'JDP:2']],
    );
  });

  it('is not compared if there may be more files than the search has found', async () => {
    const search = { from: { database: jgi, search: { query: 'soil' } }, to: { database: kss } };
    service.files.add('soil-1');
    const uri = await write(search);
    await runRecipe(uri);
    for (const id of ['soil-2', 'soil-3']) service.files.add(id);
    await write({ ...search, expect: { files: { most: 1 } } });
    const message = /^Nothing was compared\. At least 2 files found, at most 1 expected\.$/;
    await refused('compareRecipe', uri, message);
    assert.doesNotMatch((await dryRun(uri)).join('\n'), /Since the last run/);
    await write({ ...search, expect: { files: { most: 2 } } });
    const oneMore = (await dryRun(uri)).join('\n');
    assert.match(oneMore, /Since the last run/);
    assert.match(oneMore, /\. 3 files found, at most 2 expected\.$/);
  });

  it('sends nothing if an expectation is not met or an ID is unknown', async () => {
    await refused(
      'runRecipe',
      await write({ ...byIds('JDP:1'), expect: { files: { least: 2 } } }),
      /^Nothing was sent\. 1 file found, at least 2 expected\.$/,
    );
    await refused(
      'runRecipe',
      await write(byIds('JDP:1', 'JDP:none')),
      /^Nothing was sent\. No file was found for 1 ID in the recipe: JDP:none$/,
    );
    assert.equal(service.transfers.size, 0);
  });

  it('transfers locked files only if none is missing', async () => {
    const uri = await write(byIds('JDP:1'));
    await refused('runLockedRecipe', uri, /^This recipe hasn't been run yet\.$/);
    await runRecipe(uri);
    await runRecipe(uri, 'runLockedRecipe');
    assert.equal(service.transfers.size, 2);
    service.files.delete('JDP:1');
    await refused('runLockedRecipe', uri, /^Nothing was sent\. The files differ from the lock: 1 gone$/);
  });

  it('rejects the lock of another recipe', async () => {
    await runRecipe(await write(byIds('JDP:1')));
    const other = await write(byIds('JDP:1'), 'other.transfer.json');
    await writeFile(getPath('other.transfer.lock.json'), await readText('r.transfer.lock.json'));
    await refused('runRecipe', other, /^The lock belongs to r\.transfer\.json\./);
    assert.equal(service.transfers.size, 1);
  });

  it('reports the line that contains a key, and sends nothing', async () => {
    const uri = await write({ apiKey: 'abc', ...byIds('JDP:1') });
    const before = stage.server.requests.length;
    await refused('dryRunRecipe', uri, /^r\.transfer\.json, line 2: A recipe can't contain a key/);
    assert.equal(stage.server.requests.length, before);
  });

  it('finds the transfer of the last run to verify and cite it', async () => {
    const uri = await write(byIds('JDP:1'));
    await runRecipe(uri);
    await refused('verifyRecipe', uri, /^This transfer hasn't finished yet\.$/);
    const done = stage.run('dataTransfer.citeRecipe', uri);
    (await stage.person.pick()).escape();
    await done;
    await stage.parts.transferFlow.forget(stage.parts.transferStore.getAll().map((one) => one.key));
    await refused('citeRecipe', uri, /isn't in this machine's history\.$/);
  });

  it('has code lenses for the available commands', async () => {
    const uri = await write(byIds('JDP:1'));
    const listLenses = async (): Promise<readonly (string | undefined)[]> => {
      const lenses = await commands.executeCommand<CodeLens[]>('vscode.executeCodeLensProvider', uri, 10);
      return lenses.map(({ command }) => command?.title);
    };
    await workspace.openTextDocument(uri);
    // The code for recipes is loaded when the first one is opened.
    const first = await until('the first code lenses', async () => {
      const titles = await listLenses();
      return titles.length > 0 ? titles : undefined;
    });
    assert.deepEqual(first, ['Dry Run', 'Run…']);
    await runRecipe(uri);
    const all = ['Dry Run', 'Run…', 'Run with Locked Files…', 'Compare with Lock', 'Verify', 'Cite…'];
    assert.deepEqual(await listLenses(), all);
  });

  it('has diagnostics for unknown fields and, while connected, unknown databases', async () => {
    const recipe = { from: { database: 'JGI Data Portl', ids: ['1'] }, form: 1 };
    const uri = await write(recipe);
    await window.showTextDocument(uri);
    assert.equal(await diagnosed(uri, /field/), 'Unknown field “form”. Did you mean “from”?');
    await stage.closePages();
    await write({ from: recipe.from });
    await window.showTextDocument(uri);
    assert.equal(await diagnosed(uri, /database/), 'The service has no such database. Did you mean “JGI Data Portal”?');
  });

  it('has no diagnostics for violations of the schema, which the editor itself reports', async () => {
    const filters = { formats: [], paths: ['a'.repeat(301)] };
    const uri = await write({ from: { database: 'JGI Data Portal', ids: ['1'], filters }, form: 1 });
    await window.showTextDocument(uri);
    await diagnosed(uri, /field/);
    const own = languages.getDiagnostics(uri).filter(({ source }) => source === 'Data Transfer');
    assert.deepEqual(
      own.map(({ code }) => code),
      ['unknownField'],
    );
  });

  it('has a diagnostic for an ID without a file, after a dry run has looked it up', async () => {
    const uri = await write(byIds('JDP:1', 'JDP:none'));
    await window.showTextDocument(uri);
    await dryRun(uri);
    assert.equal(await diagnosed(uri, /ID/), 'No file with this ID was found in the database.');
    const [{ range } = assert.fail()] = languages.getDiagnostics(uri);
    assert.match((await workspace.openTextDocument(uri)).getText(range), /^"JDP:none"$/);
  });
});
