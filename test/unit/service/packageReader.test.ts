import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { promisify } from 'node:util';
import type { ReadPackage } from '../../../src/service/catalog/dataPackage.ts';
import { readPackage } from '../../../src/service/catalog/packageReader.ts';

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

  async function read(content: string | Buffer | object): Promise<ReadPackage> {
    const text = typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content);
    await fs.writeFile(nodePath.join(folder, 'datapackage.json'), text);
    return readPackage(folder);
  }

  async function fieldsOf(resource: object): Promise<[fields: unknown, troubles: readonly string[]]> {
    const { metadata, troubles } = await read({ resources: [{ path: 'a.csv', ...resource }] });
    return [metadata?.get('a.csv'), troubles];
  }

  it('that is not there has neither metadata nor trouble', async () => {
    assert.deepEqual(readPackage(folder), { troubles: [] });
  });

  it('gives the schema and the dialect that it names by a path', async () => {
    await fs.writeFile(nodePath.join(folder, 'dialect.json'), '{"delimiter":";"}');
    const resource = { schema: './schemas/a.json', dialect: 'dialect.json' };
    assert.deepEqual(await fieldsOf(resource), [{ schema, dialect: { delimiter: ';' } }, []]);
  });

  it('leaves a schema in place, and one elsewhere on the network as its address', async () => {
    assert.deepEqual(await fieldsOf({ schema }), [{ schema }, []]);
    const address = 'https://example.org/schema.json';
    assert.deepEqual(await fieldsOf({ schema: address }), [{ schema: address }, []]);
  });

  it('gives one schema to each file that names it, and tells of a missing one once', async () => {
    const names = ['a.csv', 'b.csv'];
    const shared = await read({ resources: names.map((path) => ({ path, schema: 'schemas/a.json' })) });
    assert.deepEqual([...(shared.metadata?.values() ?? [])], [{ schema }, { schema }]);
    const missing = await read({ resources: names.map((path) => ({ path, schema: 'no.json' })) });
    assert.deepEqual(missing.troubles, ['its "no.json" is not there']);
  });

  it('gives no more schemas than can be kept, however many files name a large one', async () => {
    await fs.writeFile(nodePath.join(folder, 'large.json'), JSON.stringify({ text: 'x'.repeat(120_000) }));
    const path = Array.from({ length: 2_000 }, (_, index) => `${index}.csv`);
    const { metadata } = await read({ resources: [{ path, title: 'T', schema: 'large.json' }] });
    const described = [...(metadata?.values() ?? [])];
    const withSchema = described.filter((fields) => fields['schema'] !== undefined);
    assert.equal(described.length, 2_000);
    assert.ok(withSchema.length > 500 && withSchema.length < 600, String(withSchema.length));
  });

  const unreadable: [name: string, trouble: RegExp, prepare: (file: string) => Promise<unknown>][] = [
    ['is no JSON', /is not valid JSON/, async (file) => await fs.writeFile(file, '{')],
    ['is a list', /is no JSON object/, async (file) => await fs.writeFile(file, '[]')],
    [
      'is nested without end',
      /is no JSON object, or too deep/,
      async (file) => await fs.writeFile(file, `{"a":${'['.repeat(9_999)}${']'.repeat(9_999)}}`),
    ],
    ['is larger than 128 KiB', /is larger than/, async (file) => await fs.writeFile(file, ' '.repeat(128 * 1024 + 1))],
    ['is not UTF-8', /is not UTF-8/, async (file) => await fs.writeFile(file, Buffer.from([0x7b, 0xff, 0x7d]))],
    ['is a folder', /is no file/, async (file) => await fs.mkdir(file)],
    ['is a link out of the package', /leads out/, async (file) => await fs.symlink('../../outside.json', file)],
    ['lies in a folder that is a link', /leads out/, async (file) => await moveOut(file)],
    ['is a link to itself', /is a link/, async (file) => await fs.symlink('s.json', file)],
    ['is a pipe that nobody writes to', /is no file/, async (file) => await promisify(execFile)('mkfifo', [file])],
    ['is not there', /is not there/, async () => await Promise.resolve()],
  ];
  for (const [name, trouble, prepare] of unreadable) {
    it(`leaves out a schema that ${name}, and tells it`, async () => {
      await prepare(nodePath.join(folder, 'schemas', 's.json'));
      const [fields, troubles] = await fieldsOf({ title: 'A', schema: 'schemas/s.json' });
      assert.deepEqual(fields, { title: 'A' });
      assert.equal(troubles.length, 1);
      assert.match(troubles[0] ?? '', trouble);
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
    it(`leaves out a schema at ${path}, and tells it`, async () => {
      const [fields, troubles] = await fieldsOf({ schema: path });
      assert.deepEqual(fields, {});
      assert.match(troubles[0] ?? '', /resource 0 has a schema that leads out of the package/);
    });
  }

  it('takes a percent sign in a path for what it is', async () => {
    const [fields, troubles] = await fieldsOf({ schema: '%2e%2e/outside.json' });
    assert.deepEqual(fields, {});
    assert.deepEqual(troubles, ['its "%2e%2e/outside.json" is not there']);
  });

  const noPackages: [name: string, content: string | Buffer, trouble: RegExp][] = [
    ['is empty', '', /it is not a JSON object/],
    ['is cut off', '{"resources":[', /it is not a JSON object/],
    ['is a list', '[]', /it is not a JSON object/],
    ['has no resources', '{"name":"a"}', /it has no list of resources/],
    ['is not UTF-8', Buffer.from([0xff, 0xfe, 0x7b, 0x00]), /it is not UTF-8/],
  ];
  for (const [name, content, trouble] of noPackages) {
    it(`that ${name} has no metadata, and tells it`, async () => {
      const { metadata, troubles } = await read(content);
      assert.equal(metadata, undefined);
      assert.equal(troubles.length, 1);
      assert.match(troubles[0] ?? '', trouble);
    });
  }

  it('is not read when it is a link, a folder, or larger than 64 MiB', async () => {
    const file = nodePath.join(folder, 'datapackage.json');
    await fs.symlink('../outside.json', file);
    assert.deepEqual(readPackage(folder), { troubles: ['it is a link'] });
    await fs.rm(file);
    await fs.mkdir(file);
    assert.deepEqual(readPackage(folder), { troubles: ['it is no file'] });
    await fs.rmdir(file);
    await fs.writeFile(file, '');
    await fs.truncate(file, 64 * 1024 * 1024 + 1);
    assert.deepEqual(readPackage(folder), { troubles: ['it is larger than 67108864 bytes'] });
  });

  it('tells of at most twenty resources that make no sense', async () => {
    const { metadata, troubles } = await read({ resources: Array.from({ length: 100 }, () => 5) });
    assert.equal(metadata?.size, 0);
    assert.equal(troubles.length, 20);
  });
});
