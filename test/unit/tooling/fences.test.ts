import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { ESLint } from 'eslint';

const root = resolve(import.meta.dirname, '..', '..', '..');

/** A file for each row of the fence table, with an import that it may contain and one that it may not. */
const rows: readonly (readonly [file: string, allowed: string, forbidden: string])[] = [
  [
    'src/contract/contract.ts',
    "import { string } from 'zod/mini';",
    "import { asObject } from '../core/util/json.ts';",
  ],
  ['src/core/util/json.ts', "import { join } from 'node:path';", "import { x } from '../model/connection.ts';"],
  [
    'src/core/model/transferModel.ts',
    "import { x } from '../util/json.ts';",
    "import { x } from '../transfers/transferStore.ts';",
  ],
  [
    'src/core/model/transferModel.ts',
    "import type { X } from '../../contract/contract.ts';",
    "import { x } from '../../contract/contract.ts';",
  ],
  [
    'src/core/client/reply.ts',
    "import { x } from 'undici/lib/dispatcher/agent.js';",
    "import { x } from '../search/searchFlow.ts';",
  ],
  [
    'src/core/transfers/transferStore.ts',
    "import { x } from '../model/transfer.ts';",
    "import { x } from '../client/reply.ts';",
  ],
  [
    'src/core/transfers/transferLedger.ts',
    "import { x } from 'node:fs';",
    "import { x } from '../search/searchFlow.ts';",
  ],
  [
    'src/core/verification/verification.ts',
    "import { x } from 'node:fs';",
    "import { x } from '../transfers/transferStore.ts';",
  ],
  [
    'src/core/search/searchFlow.ts',
    "import { x } from '../client/reply.ts';",
    "import { x } from '../../extension/words/reasonWords.ts';",
  ],
  ['src/core/transfers/transferMonitor.ts', "import { x } from './transferStore.ts';", "import { x } from 'undici';"],
  [
    'src/webviews/messages/guards.ts',
    "import type { X } from '../../core/model/transfer.ts';",
    "import { x } from '../../core/model/transfer.ts';",
  ],
  ['src/extension/editor/settings.ts', "import { x } from 'vscode';", "import { x } from '../features/index.ts';"],
  [
    'src/extension/features/search/searchTree.ts',
    "import { x } from '../../words/reasonWords.ts';",
    "import { x } from '../../../core/client/reply.ts';",
  ],
  [
    'src/extension/features/search/searchTree.ts',
    "import type { X } from '../../../core/search/searchFlow.ts';",
    "import { x } from '../../../core/search/searchFlow.ts';",
  ],
  [
    'src/extension/views/sideBar.ts',
    "import { x } from '../words/reasonWords.ts';",
    "import { x } from '../features/search/searchFiles.ts';",
  ],
  [
    'src/extension/features/files/metadataPanel.ts',
    "import { x } from '../../../webviews/messages/guards.ts';",
    "import { x } from '../search/searchTree.ts';",
  ],
  [
    'src/extension/features/search/searchFiles.ts',
    "import { x } from '../../../core/search/searchFlow.ts';",
    "import { x } from '../../../core/client/reply.ts';",
  ],
  [
    'src/extension/features/search/searchFiles.ts',
    "import type { X } from './searchTree.ts';",
    "import { x } from './searchTree.ts';",
  ],
  [
    'src/webviews/metadata/main.ts',
    "import { x } from '../shared/pageApp.tsx';",
    "import { x } from '../transfer/main.ts';",
  ],
  ['src/webviews/transfer/main.ts', "import { x } from '../messages/guards.ts';", "import { x } from 'node:path';"],
  [
    'src/webviews/shared/text.ts',
    "import { x } from '../../core/util/displayLimits.ts';",
    "import { x } from '../../core/util/redact.ts';",
  ],
  ['src/webviews/shared/markdown.tsx', "import x from 'dompurify';", "import { x } from '../../core/util/json.ts';"],
  ['src/cli/main.ts', "import { x } from '../core/explorer.ts';", "import { x } from '../extension/extension.ts';"],
  ['src/cli/main.ts', "import { x } from 'commander';", "import type { X } from 'vscode';"],
  [
    'src/service/main.ts',
    "import { x } from '../core/util/json.ts';",
    "import { x } from '../core/model/transfer.ts';",
  ],
  ['src/service/main.ts', "import { x } from 'node:sqlite';", "import type { X } from 'vscode';"],
  [
    'src/extension/features/search/searchFeature.ts',
    "import { x } from './searchTree.ts';",
    "import { x } from '../../../service/main.ts';",
  ],
  [
    'src/extension/extension.ts',
    "import { x } from './features/search/index.ts';",
    "import { x } from '../service/main.ts';",
  ],
  [
    'src/extension/editor/settings.ts',
    "import { x } from '../../core/util/json.ts';",
    "import { x } from '../extension.ts';",
  ],
  [
    'src/extension/editor/settings.ts',
    "import { x } from 'node:path';",
    "import { x } from '../../../test/support/manualClock.ts';",
  ],
];

describe('The fences between the folders', () => {
  let eslint: ESLint;

  before(async () => {
    eslint = new ESLint({
      cwd: root,
      ruleFilter: ({ ruleId }) => ['house/fences', 'no-restricted-syntax'].includes(ruleId),
      overrideConfig: { files: ['**/*.{ts,tsx}'], languageOptions: { parserOptions: { projectService: false } } },
    });
    await lintCode('src/core/util/json.ts', '');
  });

  async function lintCode(file: string, code: string): Promise<readonly string[]> {
    const [result] = await eslint.lintText(code, { filePath: join(root, file) });
    return result?.messages.map(({ ruleId, message }) => `${ruleId}: ${message}`) ?? [];
  }

  for (const imported of [
    "import { x } from 'vscode';",
    "import type { X } from 'vscode';",
    "type X = import('vscode').Uri;",
  ]) {
    it(`forbid importing the editor in core: ${imported}`, async () => {
      for (const folder of ['client', 'connections', 'model', 'search', 'transfers', 'util', 'verification']) {
        const [first] = await lintCode(`src/core/${folder}/any.ts`, imported);
        assert.match(first ?? '', /^house\/fences: core\/\w+ may not use the package vscode/);
      }
    });
  }

  for (const [file, allowed, forbidden] of rows) {
    it(`allow in ${file}: ${allowed}`, async () => {
      assert.deepEqual(await lintCode(file, allowed), []);
    });

    it(`forbid in ${file}: ${forbidden}`, async () => {
      assert.match((await lintCode(file, forbidden)).join('\n'), /^house\/fences: /);
    });
  }

  it('detect a forbidden import in a re-export and in a dynamic import', async () => {
    assert.equal((await lintCode('src/core/search/anyStore.ts', "export { x } from '../client/reply.ts';")).length, 1);
    assert.equal((await lintCode('src/core/search/anyStore.ts', "void import('../client/reply.ts');")).length, 1);
  });

  for (const use of ['session.client', "session['client']", 'const { client } = session;']) {
    it(`forbid using the client of a session in commands: ${use}`, async () => {
      const file = 'src/extension/features/transfers/any.ts';
      const [first] = await lintCode(file, use);
      assert.match(first ?? '', /^no-restricted-syntax: Only flows may use the client/);
    });
  }
});
