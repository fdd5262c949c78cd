import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { ESLint } from 'eslint';

const root = resolve(import.meta.dirname, '..', '..', '..');

/** Code that contains untranslated user-visible text. */
const faults: readonly string[] = [
  "void window.showErrorMessage('It failed.');",
  'item.tooltip = `${count} files are checked`;',
  "item.description = 'connected';",
  "const choice = { label: 'Retry', value };",
  "const question = isOne ? 'One file' : 'Files';",
  "throw new CommandFailure('There is nothing to show.');",
  "void notifications.info('Copied the id.');",
  'return `${name}: ${value}`;',
  'const text = `$(check) ${count} done`;',
  "node.textContent = 'none';",
  "const words = { staged: 'can be copied at once' };",
  "const sentence = 'The transfer ' + 'has ended';",
  "return l10n.t('{0} files', count) + ' or more files';",
];

/** Elements that contain untranslated user-visible text. */
const faultyElements: readonly string[] = [
  'return <p class="loading">loading</p>;',
  "return <p>{isLoading && 'loading'}</p>;",
  'return <p>{`${count} files`}</p>;',
  'return <>loading</>;',
  'return <div aria-label="Files moved" />;',
  "return <div aria-label={isOne ? 'file' : name} title={name} />;",
  'return <Section name="files" heading="Files">{list}</Section>;',
  'return <Button onClick={copyId}>Copy Id</Button>;',
];

/** Elements whose text is translated, is data, or isn't visible to users. */
const rightElements: readonly string[] = [
  'return <p class="value text">{name}</p>;',
  "return <p class={isWide ? 'fact wide' : 'fact'}>{l10n.t('Files')}</p>;",
  'return <ul role="list">{items.map((item) => <li key={item.id}>{item.name} · {item.size}</li>)}</ul>;',
  'return <div aria-label={l10n.t(\'Files moved\')} dir="auto" />;',
];

/** Code whose text is translated, or isn't visible to users. */
const rightLines: readonly string[] = [
  "void window.showErrorMessage(l10n.t('It failed.'));",
  "item.tooltip = plural(count, '{0} file is checked', '{0} files are checked');",
  "const label = l10n.t({ message: 'Transfer', comment: ['button'] });",
  "this.parts.log.warn('The folder cannot be watched');",
  "throw new Error('This row has no key.');",
  "if (state === 'Not a word') return;",
  "const node = { kind: 'search row', command: 'dataTransfer.loadMore' };",
  "const choice = { placeholder: 'https://dts.example.org' };",
  'const id = `${key}/more`;',
  'const text = `$(check) ${words}`;',
];

describe('The lint rule for user-visible text', () => {
  let eslint: ESLint;

  before(async () => {
    eslint = new ESLint({
      cwd: root,
      ruleFilter: ({ ruleId }) => ruleId === 'house/words',
      overrideConfig: { files: ['**/*.{ts,tsx}'], languageOptions: { parserOptions: { projectService: false } } },
    });
    await countProblems('extension/editor', '');
  });

  async function countProblems(folder: string, line: string, file = 'any.ts'): Promise<number> {
    const code = `function any() {\n${line}\n}\n`;
    const [result] = await eslint.lintText(code, { filePath: join(root, 'src', folder, file) });
    const messages = result?.messages ?? [];
    assert.ok(
      messages.every(({ ruleId }) => ruleId === 'house/words'),
      messages[0]?.message,
    );
    return messages.length;
  }

  for (const line of faults) {
    it(`reports untranslated text: ${line}`, async () => {
      for (const folder of ['extension/editor', 'extension/views', 'extension/features/search', 'webviews/shared'])
        assert.ok((await countProblems(folder, line)) > 0, folder);
    });
  }

  for (const line of faultyElements) {
    it(`reports untranslated text: ${line}`, async () => {
      for (const folder of ['webviews/shared', 'webviews/metadata'])
        assert.equal(await countProblems(folder, line, 'any.tsx'), 1, folder);
    });
  }

  for (const line of rightElements) {
    it(`accepts ${line}`, async () => {
      assert.equal(await countProblems('webviews/transfer', line, 'any.tsx'), 0);
    });
  }

  for (const line of rightLines) {
    it(`accepts: ${line}`, async () => {
      assert.equal(await countProblems('extension/features/search', line), 0);
    });
  }
});
