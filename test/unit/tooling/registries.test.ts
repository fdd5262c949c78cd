import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles, PackageManager } from '@vscode/vsce';

const root = join(import.meta.dirname, '..', '..', '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

interface Manifest {
  readonly name: string;
  readonly publisher: string;
  readonly displayName: string;
  readonly description: string;
  readonly license: string;
  readonly icon: string;
  readonly pricing: string;
  readonly homepage: string;
  readonly qna: string;
  readonly repository: { readonly url: string };
  readonly bugs: { readonly url: string };
  readonly galleryBanner: { readonly color: string; readonly theme: string };
  readonly categories: readonly string[];
  readonly keywords: readonly string[];
}

/** The Marketplace categories that suit the extension. The registries don't show unknown categories. */
const categories = ['AI', 'Chat', 'Data Science', 'Education', 'Notebooks', 'Visualization', 'Other'];

/** Returns the addresses of the images in a Markdown file. */
function listPictures(file: string): readonly string[] {
  const text = read(file);
  const markdown = [...text.matchAll(/!\[[^\]]*\]\(([^)\s]+)/g)];
  const markup = [...text.matchAll(/<img\b[^>]*\bsrc\s*=\s*["']([^"']+)/gi)];
  return [...markdown, ...markup].map(([, address = '']) => address);
}

/** Returns the width and height from the header of a PNG file. */
function measurePng(file: string): readonly [number, number] {
  const header = readFileSync(join(root, file));
  assert.equal(header.toString('latin1', 1, 4), 'PNG', file);
  return [header.readUInt32BE(16), header.readUInt32BE(20)];
}

describe('The registries of extensions', () => {
  const manifest = JSON.parse(read('package.json')) as Manifest;
  const texts = JSON.parse(read('package.nls.json')) as Readonly<Record<string, string>>;
  let packed: readonly string[];
  const translate = (value: string): string => texts[value.replaceAll('%', '')] ?? '';

  before(async () => {
    packed = await listFiles({ cwd: root, packageManager: PackageManager.None });
  });

  it('find a name, a description and a license in the manifest', () => {
    assert.match(manifest.name, /^[a-z\d][a-z\d-]{0,200}$/);
    assert.match(manifest.publisher, /^[a-z\d][a-z\d-]{0,200}$/);
    assert.match(translate(manifest.displayName), /^.{3,80}$/);
    assert.match(translate(manifest.description), /^.{20,200}$/);
    assert.equal(manifest.license, 'MIT');
    assert.match(read('LICENSE'), /MIT License/);
    assert.equal(manifest.pricing, 'Free');
    assert.ok(!('sponsor' in manifest) && !('badges' in manifest) && !('preview' in manifest));
  });

  it('find categories that they know, and at most 30 different keywords', () => {
    const { keywords } = manifest;
    assert.ok(manifest.categories.length > 0);
    assert.deepEqual(
      manifest.categories.filter((name) => !categories.includes(name)),
      [],
    );
    assert.ok(keywords.length >= 5 && keywords.length <= 30 && new Set(keywords).size === keywords.length);
    assert.deepEqual(
      keywords.filter((word) => word !== word.toLowerCase().trim() || word.length > 50 || word.includes(',')),
      [],
    );
  });

  it('find an icon that is square and large enough, and a banner', () => {
    const [width, height] = measurePng(manifest.icon);
    assert.ok(width === height && width >= 128, `${String(width)} x ${String(height)}`);
    assert.match(manifest.galleryBanner.color, /^#[\da-f]{6}$/);
    assert.match(manifest.galleryBanner.theme, /^(light|dark)$/);
  });

  it('find URLs of one repository, which use HTTPS', () => {
    const repository = manifest.repository.url.replace(/^git\+|\.git$/g, '');
    assert.match(repository, /^https:\/\/github\.com\/[\w.-]+\/[\w.-]+$/);
    assert.equal(manifest.bugs.url, `${repository}/issues`);
    assert.equal(manifest.qna, manifest.bugs.url);
    assert.equal(manifest.homepage, `${repository}#readme`);
  });

  for (const file of ['README.md', 'CHANGELOG.md'])
    it(`can show the pictures of the ${file}, which exist in the repository`, () => {
      const pictures = listPictures(file);
      assert.ok(file !== 'README.md' || pictures.length >= 4);
      for (const picture of pictures) {
        assert.match(picture, /^media\/[\w./-]+\.(?:png|gif|webp)$/);
        assert.ok(readFileSync(join(root, picture)).length > 1_000, picture);
        assert.ok(!packed.includes(picture), `${picture} makes the VSIX larger`);
      }
      assert.doesNotMatch(read(file), /<svg\b|data:image/i);
    });
});
