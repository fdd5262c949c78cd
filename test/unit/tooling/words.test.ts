import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { ESLint } from 'eslint';

const root = resolve(import.meta.dirname, '..', '..', '..');

/** Text for people that no language could ever translate. */
const faults: readonly string[] = [
  "void window.showErrorMessage('It failed.');",
  'item.tooltip = `${count} files are checked`;',
  "item.description = 'connected';",
  "const choice = { label: 'Retry', value };",
  "const question = isOne ? 'One file' : 'Files';",
  "throw new CommandFailure('There is nothing to show.');",
  "void notices.info('Copied the id.');",
  'return `${name}: ${value}`;',
  'const text = `$(check) ${count} done`;',
  "return element('p', { class: 'loading' }, 'loading');",
  "element('div', { 'aria-label': 'Files moved' });",
  "return section('files', 'Files', list);",
  "button('copyId', 'Copy Id');",
  "node.textContent = 'none';",
  "const words = { staged: 'can be copied at once' };",
  "const sentence = 'The transfer ' + 'has ended';",
  "return l10n.t('{0} files', count) + ' or more files';",
];

/** Text that nobody reads, or that is translated. */
const rightLines: readonly string[] = [
  "void window.showErrorMessage(l10n.t('It failed.'));",
  "item.tooltip = plural(count, '{0} file is checked', '{0} files are checked');",
  "const label = l10n.t({ message: 'Transfer', comment: ['button'] });",
  "this.parts.log.warn('The folder cannot be watched');",
  "throw new Error('This row has no key.');",
  "if (state === 'Not a word') return;",
  "const node = { kind: 'search row', command: 'dataTransfer.loadMore' };",
  "return element('p', { class: 'value text' }, name);",
  "const choice = { placeholder: 'https://dts.example.org' };",
  'const id = `${key}/more`;',
  'const text = `$(check) ${words}`;',
];

describe('The rule on text for people', () => {
  let eslint: ESLint;

  before(async function () {
    this.timeout(30_000);
    eslint = new ESLint({
      cwd: root,
      ruleFilter: ({ ruleId }) => ruleId === 'house/words',
      overrideConfig: { files: ['**/*.ts'], languageOptions: { parserOptions: { projectService: false } } },
    });
    await objections('host', '');
  });

  async function objections(folder: string, line: string): Promise<number> {
    const code = `function any() {\n${line}\n}\n`;
    const [result] = await eslint.lintText(code, { filePath: join(root, 'src', folder, 'any.ts') });
    const messages = result?.messages ?? [];
    assert.ok(
      messages.every(({ ruleId }) => ruleId === 'house/words'),
      messages[0]?.message,
    );
    return messages.length;
  }

  for (const line of faults) {
    it(`finds what is not translated: ${line}`, async () => {
      for (const folder of ['host', 'views', 'commands', 'panels', 'webviews/shared'])
        assert.ok((await objections(folder, line)) > 0, folder);
    });
  }

  for (const line of rightLines) {
    it(`lets stand: ${line}`, async () => {
      assert.equal(await objections('commands', line), 0);
    });
  }
});
