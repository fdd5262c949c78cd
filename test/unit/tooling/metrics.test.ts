import assert from 'node:assert/strict';
import ts from 'typescript';
import { findBags, findClosureBags, findFunctionMembers, findPicks } from '../../../scripts/metrics/bags.ts';
import { findDocComments, findPrivateDocComments } from '../../../scripts/metrics/comments.ts';
import { findSmallFiles, measureLongLines } from '../../../scripts/metrics/files.ts';
import { readImports } from '../../../scripts/metrics/imports.ts';
import { checkSentences, findRepeatedSentences } from '../../../scripts/metrics/sentences.ts';
import type { Source } from '../../../scripts/metrics/sources.ts';

/** Parses texts, given by their paths. */
function parseSources(texts: Readonly<Record<string, string>>): readonly Source[] {
  return Object.entries(texts).map(([path, text]) => ({
    path,
    text,
    tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true),
  }));
}

describe('The metrics', () => {
  it('list small files that only one file beside them imports', () => {
    const sources = parseSources({
      'src/a/part.ts': 'export const part = 1;\n',
      'src/a/whole.ts': "import { part } from './part.ts';\nimport { far } from '../b/far.ts';\n",
      'src/b/far.ts': 'export const far = 1;\n',
      'src/b/shared.ts': 'export const shared = 1;\n',
      'src/b/one.ts': "import { shared } from './shared.ts';\n",
      'src/b/other.ts': "import { shared } from './shared.ts';\n",
      'src/b/long.ts': `export const long = 1;\n${'// more\n'.repeat(40)}`,
      'src/b/user.ts': "import { long } from './long.ts';\n",
    });
    assert.deepEqual(findSmallFiles(sources, readImports(sources)), ['src/a/part.ts (1 lines): src/a/whole.ts']);
  });

  it('list bags, their functions, and closures of one object', () => {
    const sources = parseSources({
      'src/a.ts': [
        'interface FlowDependencies { readonly store: Store; readonly clock: Clock; save(one: One): void;',
        '  readonly load?: (() => void) | undefined }',
        "type PageOptions = { readonly size: Pick<Page, 'size'> };",
        'const bag = { save: (one) => store.save(one), load: async () => await store.load(), end: () => clock.end() };',
        'const other = { save: (one) => store.save(one.id), load: () => store.load(), end: () => clock.end() };',
      ].join('\n'),
    });
    assert.deepEqual(findBags(sources), [
      'src/a.ts:1 FlowDependencies: 4 members',
      'src/a.ts:3 PageOptions: 1 members',
    ]);
    assert.deepEqual(findFunctionMembers(sources), [
      'src/a.ts:1 FlowDependencies.save',
      'src/a.ts:2 FlowDependencies.load',
    ]);
    assert.deepEqual(findPicks(sources), ["src/a.ts:3 Pick<Page, 'size'>"]);
    assert.deepEqual(findClosureBags(sources), ['src/a.ts:4 store']);
  });

  it('count doc comments, and those of functions that are not exported', () => {
    const text = [
      '/** Returns one. */\nexport function one() { return 1; }',
      '/** Returns two. */\nfunction two() { return 2; }',
      '/** Returns three. */\nconst three = () => 3;',
      '/** A number. */\nconst four = 4;',
      'class Five {\n  /** Adds. */\n  private add() {}\n  /** Ends. */\n  end() {}\n}',
    ];
    const sources = parseSources({ 'src/a.ts': text.join('\n') });
    assert.equal(findDocComments(sources).length, 6);
    assert.deepEqual(findPrivateDocComments(sources), ['src/a.ts:4 two', 'src/a.ts:6 three', 'src/a.ts:11 add']);
  });

  it('measure the share of long lines', () => {
    assert.equal(measureLongLines(parseSources({ 'src/a.ts': `${'x'.repeat(101)}\n${'x'.repeat(100)}\n\n` })), 33.33);
  });

  it('find sentences that the code has more than once, in any case and punctuation', () => {
    const sources = parseSources({
      'src/a.ts':
        "l10n.t('The lock of {0} was changed.', name); log.warn('The folder is gone'); call('one', 'two words');",
      'src/b.ts': 'note(`the lock of ${name} was changed`); log.warn("The folder is gone"); call("one", "two words");',
      'src/c.ts':
        "sql('SELECT name FROM files'); type A = 'one of these'; note('Only here, but twice'); note('Only here, but twice');",
      'src/d.ts': "sql('SELECT name FROM files'); type B = 'one of these'; note('It is here'); note('“It is here”');",
    });
    assert.deepEqual(findRepeatedSentences(sources), [
      {
        texts: ['The lock of {} was changed.', 'the lock of {} was changed'],
        positions: ['src/a.ts:1', 'src/b.ts:1'],
      },
      { texts: ['It is here', '“It is here”'], positions: ['src/d.ts:1', 'src/d.ts:1'] },
    ]);
  });

  it('separate repeated sentences with a reason from those without one', () => {
    const sources = parseSources({
      'src/a.ts': "note('The lock was changed.'); note('No file was found.');",
      'src/b.ts': "note('the lock was changed'); note('No file was found.');",
    });
    const reasons = { 'The lock was changed.': 'two programs', 'This is never said.': 'two programs' };
    assert.deepEqual(checkSentences(sources, reasons), {
      explained: ['The lock was changed. (two programs): src/a.ts:1, src/b.ts:1'],
      unexplained: [
        'No file was found.: src/a.ts:1, src/b.ts:1',
        'This is never said.: has a reason to be repeated, but is not repeated',
      ],
    });
  });
});
