import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { promisify } from 'node:util';
import type { PackageContent } from '../../../src/service/catalog/dataPackage.ts';
import { readPackage } from '../../../src/service/catalog/packageScopes.ts';

const schema = { fields: [{ name: 'a', type: 'integer' }] };

describe('A Data Package in its folder (D20)', () => {
  let root: string;
  let folder: string;

  beforeEach(async () => {
    root = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-package-'));
    folder = nodePath.join(root, 'package');
    await fs.mkdir(nodePath.join(folder, 'schemas'), { recursive: true });
    await fs.writeFile(nodePath.join(folder, 'schemas', 'a.json'), `\uFEFF${JSON.stringify(schema)}`);
    await fs.writeFile(nodePath.join(root, 'outside.json'), JSON.stringify({ secret: true }));
  });

  afterEach(async () => await fs.rm(root, { recursive: true }));

  async function read(content: string | Buffer | object): Promise<PackageContent> {
    const text = typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content);
    await fs.writeFile(nodePath.join(folder, 'datapackage.json'), text);
    return readPackage(folder);
  }

  async function readFields(resource: object): Promise<[fields: unknown, warnings: readonly string[]]> {
    const { metadata, warnings } = await read({ resources: [{ path: 'a.csv', ...resource }] });
    return [metadata?.get('a.csv'), warnings];
  }

  it('has neither metadata nor warnings when it is missing', async () => {
    assert.deepEqual(readPackage(folder), { warnings: [] });
  });

  it('resolves the schema and the dialect that it names by a path', async () => {
    await fs.writeFile(nodePath.join(folder, 'dialect.json'), '{"delimiter":";"}');
    const resource = { schema: './schemas/a.json', dialect: 'dialect.json' };
    assert.deepEqual(await readFields(resource), [{ schema, dialect: { delimiter: ';' } }, []]);
  });

  it('retains an inline schema, and the address of a remote one', async () => {
    assert.deepEqual(await readFields({ schema }), [{ schema }, []]);
    const address = 'https://example.org/schema.json';
    assert.deepEqual(await readFields({ schema: address }), [{ schema: address }, []]);
  });

  it('gives one schema to each file that names it, and warns once about a missing one', async () => {
    const names = ['a.csv', 'b.csv'];
    const shared = await read({ resources: names.map((path) => ({ path, schema: 'schemas/a.json' })) });
    assert.deepEqual([...(shared.metadata?.values() ?? [])], [{ schema }, { schema }]);
    const missing = await read({ resources: names.map((path) => ({ path, schema: 'no.json' })) });
    assert.deepEqual(missing.warnings, ['its "no.json" does not exist']);
  });

  it('limits the size of schemas when many files name a large one', async () => {
    await fs.writeFile(nodePath.join(folder, 'large.json'), JSON.stringify({ text: 'x'.repeat(120_000) }));
    const path = Array.from({ length: 2_000 }, (_, index) => `${index}.csv`);
    const { metadata } = await read({ resources: [{ path, title: 'T', schema: 'large.json' }] });
    const described = [...(metadata?.values() ?? [])];
    const withSchema = described.filter((fields) => fields['schema'] !== undefined);
    assert.equal(described.length, 2_000);
    assert.ok(withSchema.length > 500 && withSchema.length < 600, String(withSchema.length));
  });

  const unreadable: [name: string, warning: RegExp, prepare: (file: string) => Promise<unknown>][] = [
    ['is not JSON', /is not valid JSON/, async (file) => await fs.writeFile(file, '{')],
    ['is a list', /is not a JSON object/, async (file) => await fs.writeFile(file, '[]')],
    [
      'is nested too deeply',
      /is not a JSON object or is nested too deeply/,
      async (file) => await fs.writeFile(file, `{"a":${'['.repeat(9_999)}${']'.repeat(9_999)}}`),
    ],
    ['is larger than 128 KiB', /is larger than/, async (file) => await fs.writeFile(file, ' '.repeat(128 * 1024 + 1))],
    ['is not UTF-8', /is not UTF-8/, async (file) => await fs.writeFile(file, Buffer.from([0x7b, 0xff, 0x7d]))],
    ['is a folder', /is not a file/, async (file) => await fs.mkdir(file)],
    ['is a link out of the package', /points outside/, async (file) => await fs.symlink('../../outside.json', file)],
    ['is in a folder that is a link', /points outside/, async (file) => await moveOut(file)],
    ['is a link to itself', /is a link/, async (file) => await fs.symlink('s.json', file)],
    ['is a pipe without a writer', /is not a file/, async (file) => await promisify(execFile)('mkfifo', [file])],
    ['does not exist', /does not exist/, async () => await Promise.resolve()],
  ];
  for (const [name, warning, prepare] of unreadable) {
    it(`omits a schema that ${name}, and warns`, async () => {
      await prepare(nodePath.join(folder, 'schemas', 's.json'));
      const [fields, warnings] = await readFields({ title: 'A', schema: 'schemas/s.json' });
      assert.deepEqual(fields, { title: 'A' });
      assert.equal(warnings.length, 1);
      assert.match(warnings[0] ?? '', warning);
    });
  }

  async function moveOut(file: string): Promise<void> {
    await fs.writeFile(file, '{}');
    await fs.rename(nodePath.dirname(file), nodePath.join(root, 'moved'));
    await fs.symlink('../moved', nodePath.dirname(file));
  }

  for (const path of [
    '../outside.json',
    '/etc/passwd',
    'schemas/../../outside.json',
    '..\\outside.json',
    'C:/a.json',
  ]) {
    it(`omits a schema at ${path}, and warns`, async () => {
      const [fields, warnings] = await readFields({ schema: path });
      assert.deepEqual(fields, {});
      assert.match(warnings[0] ?? '', /resource 0 has a schema that points outside the package/);
    });
  }

  it('treats a percent sign in a path literally', async () => {
    const [fields, warnings] = await readFields({ schema: '%2e%2e/outside.json' });
    assert.deepEqual(fields, {});
    assert.deepEqual(warnings, ['its "%2e%2e/outside.json" does not exist']);
  });

  const noPackages: [name: string, content: string | Buffer, warning: RegExp][] = [
    ['is empty', '', /it is not a JSON object/],
    ['is truncated', '{"resources":[', /it is not a JSON object/],
    ['is a list', '[]', /it is not a JSON object/],
    ['has no resources', '{"name":"a"}', /it has no list of resources/],
    ['is not UTF-8', Buffer.from([0xff, 0xfe, 0x7b, 0x00]), /it is not UTF-8/],
  ];
  for (const [name, content, warning] of noPackages) {
    it(`has no metadata when it ${name}, and warns`, async () => {
      const { metadata, warnings } = await read(content);
      assert.equal(metadata, undefined);
      assert.equal(warnings.length, 1);
      assert.match(warnings[0] ?? '', warning);
    });
  }

  it('is not read when it is a link, a folder, or larger than 64 MiB', async () => {
    const file = nodePath.join(folder, 'datapackage.json');
    await fs.symlink('../outside.json', file);
    assert.deepEqual(readPackage(folder), { warnings: ['it is a link'] });
    await fs.rm(file);
    await fs.mkdir(file);
    assert.deepEqual(readPackage(folder), { warnings: ['it is not a file'] });
    await fs.rmdir(file);
    await fs.writeFile(file, '');
    await fs.truncate(file, 64 * 1024 * 1024 + 1);
    assert.deepEqual(readPackage(folder), { warnings: ['it is larger than 67108864 bytes'] });
  });

  it('warns about at most twenty invalid resources', async () => {
    const { metadata, warnings } = await read({ resources: Array.from({ length: 100 }, () => 5) });
    assert.equal(metadata?.size, 0);
    assert.equal(warnings.length, 20);
  });
});
