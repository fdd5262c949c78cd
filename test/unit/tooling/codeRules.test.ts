import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { ESLint } from 'eslint';

const root = resolve(import.meta.dirname, '..', '..', '..');

/** Code that exports something without a doc comment, or that spreads a literal. */
const faults: readonly string[] = [
  'export function read() {}',
  'export const limit = 1;',
  'export class Reader {}',
  'export interface Reader {}',
  'export type Reader = string;',
  '// Reads.\nexport function read() {}',
  '/* Reads. */\nexport function read() {}',
  'const all = { ...{ one, two }, three };',
  'call({ ...{ one }, ...rest });',
  'const all = { ...({ one, two } as const), three };',
  'const all = { ...{ one, two } satisfies Some, three };',
];

const rightCode: readonly string[] = [
  '/** Reads. */\nexport function read() {}',
  '/** Reads.\n * And more. */\nexport async function read() {}',
  '/** The limit. */\nexport const limit = 1;',
  'function read() {}\nexport { read };',
  "export { read } from './reader.ts';",
  "export type { Reader } from './reader.ts';",
  'const all = { one, two, ...rest };',
  'const all = { one, ...(two !== undefined && { two }) };',
  'const all = { one, ...(isTwo ? { two } : { three }) };',
  'const { one, ...rest } = all;',
];

describe('The lint rules for doc comments and for spreads of literals', () => {
  let eslint: ESLint;

  before(async () => {
    eslint = new ESLint({
      cwd: root,
      ruleFilter: ({ ruleId }) => ['house/docs', 'no-restricted-syntax'].includes(ruleId),
      overrideConfig: { files: ['**/*.{ts,tsx}'], languageOptions: { parserOptions: { projectService: false } } },
    });
    await countProblems('core/util', '');
  });

  async function countProblems(folder: string, code: string): Promise<number> {
    const [result] = await eslint.lintText(`${code}\n`, { filePath: join(root, 'src', folder, 'any.ts') });
    const messages = result?.messages ?? [];
    assert.ok(
      messages.every(({ ruleId }) => ruleId !== null),
      messages[0]?.message,
    );
    return messages.length;
  }

  for (const code of faults) {
    it(`report: ${code}`, async () => {
      for (const folder of ['core/util', 'extension/editor', 'service/http', 'cli', 'webviews/shared'])
        assert.equal(await countProblems(folder, code), 1, folder);
    });
  }

  for (const code of rightCode) {
    it(`accept: ${code}`, async () => {
      assert.equal(await countProblems('extension/editor', code), 0);
    });
  }
});
