import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspace } from 'vscode';
import { RecipeFiles } from '../../src/extension/editor/recipeFiles.ts';
import { eventually } from '../support/eventually.ts';

describe('The list of recipes (D61)', () => {
  let files: RecipeFiles;
  let folder: string;

  beforeEach(async () => {
    const [open] = workspace.workspaceFolders ?? [];
    assert.ok(open, 'a folder is open');
    folder = join(open.uri.fsPath, `recipe-files-${randomUUID()}`);
    files = new RecipeFiles();
    await new Promise<void>((resolve) => files.onDidChange(resolve));
  });
  afterEach(() => {
    files.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const waitUntilListed = async (path: string, isListed: boolean): Promise<void> => {
    await eventually(async () => files.all.some(({ fsPath }) => fsPath === path) === isListed || undefined);
  };

  it('includes the recipes in a folder that is created together with them, until the folder is deleted', async () => {
    const path = join(folder, 'of', 'the', 'study', 'one.transfer.json');
    // If everything is created without a pause, the editor reports only the outer folder.
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, '{}');
    await waitUntilListed(path, true);
    rmSync(folder, { recursive: true });
    await waitUntilListed(path, false);
  });
});
