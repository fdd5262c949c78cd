import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');
const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: root });

interface Manifest {
  readonly contributes: { readonly configuration: { readonly properties: Readonly<Record<string, unknown>> } };
}

function read(...path: readonly string[]): string {
  return readFileSync(join(root, ...path), 'utf8');
}

/** Returns the heading that GitHub makes the anchor of. */
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

/** Returns the keys of the configuration's schemas, the ones of a database as `databases[].name`. */
function listConfigKeys(): readonly string[] {
  const [, database = '', service = ''] = read('src', 'service', 'config.ts').split('z.strictObject({');
  const list = (schema: string): readonly string[] =>
    [...(schema.split('\n});')[0] ?? '').matchAll(/^ {2}(\w+):/gm)].map(([, key = '']) => key);
  return [...list(service), ...list(database).map((key) => `databases[].${key}`)];
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

  it('describe every setting in the README', () => {
    const { contributes } = JSON.parse(read('package.json')) as Manifest;
    const readme = read('README.md');
    const settings = Object.keys(contributes.configuration.properties);
    assert.ok(settings.length > 0);
    assert.deepEqual(
      settings.filter((setting) => !readme.includes(`| \`${setting}\``)),
      [],
    );
  });

  it('describe every key of the service configuration, and no other', () => {
    const described = [...read('docs', 'service.md').matchAll(/^\| `([\w[\].]+)`/gm)].map(([, key = '']) => key);
    assert.deepEqual(described.toSorted(), listConfigKeys().toSorted());
  });

  it('show the architecture in at most 1,000 words', () => {
    assert.ok(read('docs', 'architecture.md').split(/\s+/).length <= 1_000);
  });
});
