import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { limits } from '../../../bench/support/limits.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: root });

interface Manifest {
  readonly contributes: {
    readonly configuration: { readonly properties: Readonly<Record<string, { readonly default?: unknown }>> };
  };
}

function read(...path: readonly string[]): string {
  return readFileSync(join(root, ...path), 'utf8');
}

/** Returns the anchor that GitHub generates for a heading. */
function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

function hasAnchor(file: string, anchor: string): boolean {
  return [...read(file).matchAll(/^#+ (.+)$/gm)].some(([, heading = '']) => toAnchor(heading) === anchor);
}

function isBroken(document: string, target: string): boolean {
  if (/^[a-z]+:/.test(target)) return false;
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? document : join(dirname(document), path);
  if (!existsSync(join(root, file))) return true;
  return anchor !== undefined && !hasAnchor(file, anchor);
}

/** Returns the documents of the repository to which a document links. */
function listLinkedDocuments(document: string): readonly string[] {
  const targets = Array.from(read(document).matchAll(/\]\(([^)#\s]+\.md)/g), ([, target = '']) => target);
  return targets.filter((target) => !/^[a-z]+:/.test(target)).map((target) => join(dirname(document), target));
}

/** Returns the keys of the configuration schemas. Keys of a database have the form `databases[].name`. */
function listConfigKeys(): readonly string[] {
  const [, database = '', service = ''] = read('src', 'service', 'config.ts').split('z.strictObject({');
  const list = (schema: string): readonly string[] =>
    [...(schema.split('\n});')[0] ?? '').matchAll(/^ {2}(\w+):/gm)].map(([, key = '']) => key);
  return [...list(service), ...list(database).map((key) => `databases[].${key}`)];
}

function listTableRows(document: string): readonly (readonly string[])[] {
  const lines = read('docs', document).match(/^\|.*\|$/gm) ?? [];
  return lines.map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')));
}

/** Returns the tools that a text runs through npx without a version, except for those that the setup installs. */
function listUnpinnedTools(text: string): readonly string[] {
  const tools = Array.from(text.matchAll(/\bnpx (?:-\S+ )*([^\s`]+)/g), ([, tool = '']) => tool);
  return tools.filter((tool) => !/.@\d/.test(tool) && !existsSync(join(root, 'node_modules', '.bin', tool)));
}

describe('The documents', () => {
  it('have no broken link or missing picture', () => {
    const broken = documents.flatMap((document) =>
      [...read(document).matchAll(/\]\(([^)\s]+)\)/g)]
        .filter(([, target = '']) => isBroken(document, target))
        .map(([, target = '']) => `${document}: ${target}`),
    );
    assert.deepEqual(broken, []);
  });

  it('describe every setting with its default, and no other', () => {
    const { contributes } = JSON.parse(read('package.json')) as Manifest;
    const described = listTableRows('settings.md').filter(([, name = '']) => name.startsWith('dataTransfer.'));
    const defaults = Object.entries(contributes.configuration.properties).map(([name, setting]) => [
      name,
      setting.default === '' ? '' : JSON.stringify(setting.default).replaceAll('"', ''),
    ]);
    assert.ok(defaults.length > 0);
    assert.deepEqual(
      Object.fromEntries(
        described.map(([, name = '', , value = '']) => [name, /^(found|none)$/.test(value) ? '' : value]),
      ),
      Object.fromEntries(defaults),
    );
  });

  it('begin with a README of at most 1,800 words, which names the two commands to start with', () => {
    const readme = read('README.md');
    assert.ok((readme.match(/\S+/g) ?? []).length <= 1_800);
    for (const command of ['npm run demo', 'npm test']) assert.match(readme, new RegExp(`^${command}\\b`, 'm'));
  });

  it('are all reached from the README by links', () => {
    const reached = new Set(['README.md']);
    for (const document of reached) for (const linked of listLinkedDocuments(document)) reached.add(linked);
    const pages = documents.filter((document) => document !== 'CHANGELOG.md');
    assert.deepEqual(
      pages.filter((document) => !reached.has(document)),
      [],
    );
  });

  it('explain only messages that the program has', () => {
    const [messages = ''] = read('docs', 'troubleshooting.md').split('## The public server');
    const sources = globSync('src/**/*.ts', { cwd: root }).map((file) => read(file).toLowerCase());
    const explained = Array.from(messages.matchAll(/^- _([^_]+)_/gm), ([, message = '']) => message);
    assert.ok(explained.length > 10);
    const isIn = (source: string, message: string): boolean =>
      message.split(/…|\d+ \w+/).every((part) => source.includes(part.trim().toLowerCase()));
    assert.deepEqual(
      explained.filter((message) => !sources.some((source) => isIn(source, message))),
      [],
    );
  });

  it('describe every key of the service configuration, and no other', () => {
    const described = [...read('docs', 'service.md').matchAll(/^\| `([\w[\].]+)`/gm)].map(([, key = '']) => key);
    assert.deepEqual(described.toSorted(), listConfigKeys().toSorted());
  });

  it('state the measurements of the benches with their limits, and none above its limit', () => {
    const rows = [...read('docs', 'performance.md').matchAll(/^(\w+) +([\d.]+) +([\d.]+) +(.+)$/gm)];
    const stated = rows.map(([, bench = '', limit, , name = '']) => [`${bench}: ${name}`, Number(limit)] as const);
    const { catalogue, ...others } = limits;
    const actual = Object.entries(others).flatMap(([bench, measurements]) =>
      Object.entries(measurements).map(([name, limit]) => [`${bench}: ${name}`, limit] as const),
    );
    assert.deepEqual(Object.fromEntries(stated), Object.fromEntries(actual));
    const exceeded = rows.filter(([, , limit, measured]) => !(Number(measured) <= Number(limit)));
    assert.deepEqual(exceeded, []);
    const scaled = listTableRows('scale.md').filter(([, , , , bench]) => bench === 'catalogue');
    const isTime = (cell: string): boolean => cell === 'its time';
    const numbers = scaled.flatMap(([, , , cell = '']) =>
      isTime(cell) ? [1] : (cell.match(/\d[\d.]*/g) ?? []).map(Number),
    );
    assert.deepEqual(new Set(numbers), new Set(Object.values(catalogue)));
  });

  it('start each tool with npx in the version that the setup installs, or in a stated one', () => {
    const unpinned = documents.flatMap((document) => listUnpinnedTools(read(document)));
    assert.deepEqual(unpinned, []);
  });

  it('show the architecture in at most 1,000 words', () => {
    assert.ok(read('docs', 'architecture.md').split(/\s+/).length <= 1_000);
  });
});
