import assert from 'node:assert/strict';
import { parseRecipe } from '../../../src/core/recipes/parseRecipe.ts';

/** Describes each problem in one line: its kind, line, path and, if there is one, hint. */
function listProblems(text: string): readonly string[] {
  return parseRecipe(text).problems.map(({ kind, range, path, nearest, expected }) =>
    [kind, range.line, path.join('/'), nearest ?? expected ?? ''].join(' ').trim(),
  );
}

const valid = { from: { database: 'plants', search: { query: 'fasta' } }, to: { database: 'archive' } };

describe('Parsing a recipe (D61)', () => {
  it('accepts comments, a trailing comma and a byte order mark', () => {
    const text = `\uFEFF// monthly\n{ "from": { "database": "plants", /* all */ "search": { "query": "" } }, }`;
    assert.deepEqual(parseRecipe(text).recipe, { from: { database: 'plants', search: { query: '' } } });
  });

  it('accepts every documented field', () => {
    const recipe = {
      version: 1,
      service: 'local',
      description: '**Reads**',
      instructions: { type: 'assembly' },
      from: {
        database: 'plants',
        table: { file: 'tables/samples.csv', column: 'id', key: 'id', sheet: 'A' },
        filters: { formats: ['fasta'], paths: ['reads/**'], bytes: { most: 10 } },
      },
      to: { database: 'archive', folder: 'run-42' },
      expect: { files: { least: 1, most: 9 }, bytes: { least: 0 }, ids: ['a'] },
    };
    assert.deepEqual(parseRecipe(JSON.stringify(recipe)), { ...parseRecipe(JSON.stringify(recipe)), recipe });
    assert.deepEqual(listProblems(JSON.stringify(recipe)), []);
  });

  it('accepts one script or program in its folder that follows the transfer (D72)', () => {
    const toText = (more: object): string => JSON.stringify({ ...valid, ...more });
    assert.deepEqual(parseRecipe(toText({ then: { sbatch: 'jobs/analyse.sbatch' } })).recipe?.then, {
      sbatch: 'jobs/analyse.sbatch',
    });
    for (const [more, problem] of [
      [{ then: {} }, 'followUpCount 1 then'],
      [{ then: { sbatch: 'a', program: 'b' } }, 'followUpCount 1 then'],
      [{ then: { shell: 'ls' } }, 'unknownField 1 then/shell'],
      [{ then: { program: '../a.sh' } }, 'outsideFolder 1 then/program'],
      [{ then: { program: '/bin/sh' } }, 'outsideFolder 1 then/program'],
      [{ instructions: { then: { program: '/bin/sh' } } }, 'followUpPlace 1 instructions/then'],
    ] as const)
      assert.deepEqual(listProblems(toText(more)), [problem]);
  });

  it('accepts a list of columns, and rows in doubt that are left out', () => {
    const toText = (table: object): string =>
      JSON.stringify({ from: { database: 'a', table: { file: 'a.csv', ...table } } });
    assert.deepEqual(listProblems(toText({ column: ['fastq_1', 'fastq_2'], doubts: 'leaveOut' })), []);
    for (const [table, problem] of [
      [{ column: 5 }, 'wrongType 1 from/table/column string'],
      [{ column: '' }, 'empty 1 from/table/column'],
      [{ column: [] }, 'empty 1 from/table/column'],
      [{}, 'missingField 1 from/table/column'],
      [{ column: 'a', doubts: 'send' }, 'wrongValue 1 from/table/doubts leaveOut'],
    ] as const)
      assert.deepEqual(listProblems(toText(table)), [problem]);
  });

  it('requires one plain name for the folder at the destination, given once (D24)', () => {
    const toText = (folder: unknown, more: object = {}): string =>
      JSON.stringify({ ...valid, to: { database: 'archive', folder }, ...more });
    assert.deepEqual(listProblems(toText('run-42')), []);
    assert.deepEqual(listProblems(toText('../run')), ['wrongFolderName 1 to/folder']);
    assert.deepEqual(listProblems(toText('')), ['empty 1 to/folder']);
    assert.deepEqual(listProblems(toText(7)), ['wrongType 1 to/folder string']);
    const named = { instructions: { folder: 'run-42' } };
    assert.deepEqual(listProblems(toText('run-42', named)), ['repeatedField 1 to/folder']);
    assert.deepEqual(listProblems(JSON.stringify({ ...valid, ...named })), []);
  });

  it('reports the position of a JSON syntax error', () => {
    assert.deepEqual(listProblems('{\n  "from": {\n'), ['syntax 3']);
    assert.deepEqual(listProblems('{ "from": \n nothing }'), ['syntax 2']);
    assert.deepEqual(listProblems('[]'), ['notObject 1']);
    assert.deepEqual(listProblems(''), ['syntax 1']);
  });

  it('rejects text that is nested too deeply or too large', () => {
    assert.equal(parseRecipe('['.repeat(200_000)).problems[0]?.kind, 'syntax');
    const deep = `{"instructions":${'['.repeat(500)}${']'.repeat(500)}}`;
    assert.equal(parseRecipe(deep).problems[0]?.kind, 'notObject');
    assert.equal(parseRecipe(' '.repeat(17 * 1024 * 1024)).problems[0]?.kind, 'tooLarge');
  });

  it('rejects text that overflows the stack of any step', () => {
    for (let depth = 500; depth <= 16_000; depth += 500) {
      const [problem] = parseRecipe('['.repeat(depth) + ']'.repeat(depth)).problems;
      assert.match(problem?.kind ?? '', /^(?:notObject|syntax)$/, `${depth} levels`);
      // Of repeated names, only the last value is in the parsed value.
      const hidden = `{"a": ${'['.repeat(depth)}${']'.repeat(depth)}, "a": 1}`;
      assert.ok(parseRecipe(hidden).problems.length > 0, `${depth} hidden levels`);
    }
    const ids = Array<number>(300_000).fill(0);
    assert.deepEqual(listProblems(JSON.stringify({ from: { database: 'a', ids } })), ['tooLarge 1']);
  });

  it('rejects more values than the IDs of its files and as many expected IDs can have', () => {
    const format = (count: number): string =>
      JSON.stringify({ from: { database: 'a', ids: ['a'] }, expect: { ids: Array<string>(count).fill('a') } });
    assert.deepEqual(listProblems(format(750_000)), ['tooLarge 1']);
    assert.deepEqual(listProblems(format(500_000)), []);
  });

  it('limits the number and the length of filters', () => {
    const filter = (paths: readonly string[]): string =>
      JSON.stringify({ from: { ...valid.from, filters: { paths } } });
    assert.deepEqual(listProblems(filter(Array<string>(100).fill('a'.repeat(300)))), []);
    assert.deepEqual(listProblems(filter(Array<string>(101).fill('a'))), ['tooLong 1 from/filters/paths 100']);
    assert.deepEqual(listProblems(filter(['**/'.repeat(101)])), ['tooLong 1 from/filters/paths/0 300']);
  });

  it('suggests the closest field name for an unknown one', () => {
    const text = '{\n "from": {\n "databse": "a", "search": { "quer": "x" } },\n "form": 1, "zzzzz": 2 }';
    assert.deepEqual(listProblems(text), [
      'missingField 2 from/database',
      'missingField 3 from/search/query',
      'unknownField 3 from/search/quer query',
      'unknownField 3 from/databse database',
      'unknownField 4 form from',
      'unknownField 4 zzzzz',
    ]);
  });

  it('rejects a recipe of a later version', () => {
    assert.deepEqual(listProblems(JSON.stringify({ version: 2, sources: [] })), ['newerVersion 1 version']);
  });

  it('rejects a key, a token and a password, and reports the line', () => {
    const text = `{
      "apiKey": "abc",
      "service": "https://me:secret@example.org",
      "instructions": { "nested": [{ "access_token": "x" }], "header": "Bearer abc" },
      "from": { "database": "a", "table": { "file": "t.csv", "column": "c", "key": "id" } } }`;
    assert.deepEqual(listProblems(text), [
      'secret 2 apiKey',
      'secret 3 service',
      'secret 4 instructions/nested/0/access_token',
      'secret 4 instructions/header',
    ]);
  });

  it('reports a key in an unknown field only as a key', () => {
    const text = '{ "from": { "database": "a", "ids": ["1"], "password": "abc" } }';
    assert.deepEqual(listProblems(text), ['secret 1 from/password']);
  });

  it('reports at most 100 problems of a form', () => {
    const ids = Array.from({ length: 300 }, (_, index) => index);
    const problems = listProblems(JSON.stringify({ from: { database: 'a', ids } }));
    assert.deepEqual([problems.length, problems[99]], [100, 'wrongType 1 from/ids/99 string']);
    const fields = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`x${index}`, 1]));
    assert.equal(listProblems(JSON.stringify({ ...valid, ...fields })).length, 100);
    assert.equal(listProblems(`{${'"version": 1,'.repeat(300)} "from": ${JSON.stringify(valid.from)}}`).length, 100);
    const entries = Array.from({ length: 300 }, () => ({ password: 'hunter22' }));
    const found = listProblems(JSON.stringify({ ...valid, instructions: { entries } }));
    assert.deepEqual([found.length, found[99]?.startsWith('secret ')], [100, true]);
  });

  it('requires exactly one of search, ids and table', () => {
    assert.deepEqual(listProblems('{"from": {"database": "a"}}'), ['sourceCount 1 from']);
    const two = { from: { database: 'a', ids: ['1'], search: { query: '' } } };
    assert.deepEqual(listProblems(JSON.stringify(two)), ['sourceCount 1 from/ids']);
  });

  it('reports invalid types, values, numbers and ranges', () => {
    const recipe = {
      from: { database: 1, search: { query: '', status: 'ready' }, filters: { formats: [] } },
      to: { database: '' },
      instructions: 'fast',
      expect: { files: { least: -1, most: 1e300 }, bytes: { most: 1.5 } },
    };
    assert.deepEqual(listProblems(JSON.stringify(recipe)), [
      'wrongType 1 from/database string',
      'wrongValue 1 from/search/status staged, unstaged',
      'empty 1 from/filters/formats',
      'empty 1 to/database',
      'wrongType 1 instructions object',
      'wrongNumber 1 expect/files/least',
      'wrongNumber 1 expect/files/most',
      'wrongNumber 1 expect/bytes/most int',
    ]);
    const reversed = { ...valid, expect: { files: { least: 2, most: 1 } } };
    assert.deepEqual(listProblems(JSON.stringify(reversed)), ['wrongRange 1 expect/files']);
  });

  it('rejects a table outside its folder, a destination that is the source, and a repeated name', () => {
    const table = { file: '../secrets.csv', column: 'id' };
    const recipe = { from: { database: 'a', table }, to: { database: 'a' } };
    assert.deepEqual(listProblems(JSON.stringify(recipe)), [
      'outsideFolder 1 from/table/file',
      'sameDatabase 1 to/database',
    ]);
    const twice = '{"from": {"database": "a", "ids": ["1"]},\n"from": {"database": "b", "ids": ["1"]}}';
    assert.deepEqual(listProblems(twice), ['repeatedField 2 from']);
  });

  it('finds repeated names in lists and in nested objects', () => {
    const text = `{ "from": { "database": "a", "search": { "query": "", "specific": { "f": 1, "f": 2 } } },
      "instructions": { "steps": [{ "x": 1 }, { "x": 1,
      "x": 2 }] } }`;
    assert.deepEqual(listProblems(text), [
      'repeatedField 1 from/search/specific/f',
      'repeatedField 3 instructions/steps/1/x',
    ]);
  });

  it('accepts a single number as a range, and an open range', () => {
    const expected = (files: object): readonly string[] =>
      listProblems(JSON.stringify({ ...valid, expect: { files } }));
    for (const files of [{ least: 1, most: 1 }, { least: 0 }, { most: 0 }, {}]) assert.deepEqual(expected(files), []);
    const filters = { bytes: { least: 2, most: 1 } };
    assert.deepEqual(listProblems(JSON.stringify({ ...valid, from: { ...valid.from, filters } })), [
      'wrongRange 1 from/filters/bytes',
    ]);
    const bytes = { least: 2, most: 1 };
    assert.deepEqual(listProblems(JSON.stringify({ ...valid, expect: { bytes } })), ['wrongRange 1 expect/bytes']);
  });

  it('returns the position of a problem in the text', () => {
    const text = '{ "to": { "database": 5 } }';
    const [problem] = parseRecipe(text).problems.filter(({ kind }) => kind === 'wrongType');
    assert.deepEqual(problem?.range, { offset: 22, length: 1, line: 1 });
  });
});
