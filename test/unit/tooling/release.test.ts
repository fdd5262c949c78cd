import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');
const scripts = join(root, 'scripts');

interface Changelog {
  releaseEntries(changelog: string, version: string, day: string): string;
  isLaterVersion(next: string, current: string): boolean;
}

interface Versions {
  readonly documentFiles: readonly string[];
  readonly sourceFiles: readonly string[];
  replaceDocumentVersions(text: string, version: string): string;
  replaceVersionConstants(text: string, version: string): string;
}

interface Commits {
  findSubjectProblem(subject: string, isMerge: boolean): string | undefined;
}

describe('The preparation of a release', () => {
  let changelog: Changelog;

  before(async () => {
    changelog = (await import(join(scripts, 'release', 'changelog.mjs'))) as Changelog;
  });

  it('dates the unreleased entries and leaves an empty section above them', () => {
    const text = '# Changelog\n\n## [Unreleased]\n\n### Fixed\n\n- A bug.\n\n## [0.1.0] - 2026-01-01\n';
    assert.equal(
      changelog.releaseEntries(text, '0.2.0', '2026-02-03'),
      '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-02-03\n\n### Fixed\n\n- A bug.\n\n## [0.1.0] - 2026-01-01\n',
    );
  });

  it('refuses a changelog without unreleased entries', () => {
    const empty = '## [Unreleased]\n\n## [0.1.0] - 2026-01-01\n\n- An entry of an earlier version.\n';
    assert.throws(() => changelog.releaseEntries(empty, '0.2.0', '2026-02-03'), /no entry/);
    assert.throws(() => changelog.releaseEntries('# Changelog\n', '0.2.0', '2026-02-03'), /no section/);
  });

  it('accepts only a later version', () => {
    const later = ['0.1.1', '0.2.0', '0.10.0', '1.0.0'];
    const refused = ['0.1.0', '0.0.9', '0.2', 'v0.2.0', '0.2.0-beta', ''];
    assert.deepEqual(
      later.filter((version) => !changelog.isLaterVersion(version, '0.1.0')),
      [],
    );
    assert.deepEqual(
      refused.filter((version) => changelog.isLaterVersion(version, '0.1.0')),
      [],
    );
  });
});

describe('The version of a release', () => {
  let versions: Versions;

  before(async () => {
    versions = (await import(join(scripts, 'release', 'versions.mjs'))) as Versions;
  });

  /**
   * Returns the files in which `replace` changes a version. Asserts that all files contain only the current version.
   */
  function findVersionedFiles(pattern: string[], replace: Versions['replaceDocumentVersions']): string[] {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
    const files = globSync(pattern, { cwd: root }).map((file) => file.replaceAll('\\', '/'));
    return files.filter((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      assert.equal(replace(text, version), text, file);
      return replace(text, '9.9.9') !== text;
    });
  }

  it('replaces the one in names of packages and in JSON examples of a document, and nothing else', () => {
    const text = 'Since 0.1.0: data-transfer-explorer-0.1.0.vsix, ./data-transfer-cli-0.1.0.tgz, name-X.Y.Z.vsix';
    assert.equal(
      versions.replaceDocumentVersions(`${text}, { "version": "0.1.0" }, {"version":"0.1.0"}`, '0.10.2'),
      'Since 0.1.0: data-transfer-explorer-0.10.2.vsix, ./data-transfer-cli-0.10.2.tgz, name-X.Y.Z.vsix, ' +
        '{ "version": "0.10.2" }, {"version":"0.10.2"}',
    );
  });

  it('replaces the one in the constants of a source file, and nothing else', () => {
    const text = "// since 0.1.0\nexport const toolVersion = '0.1.0';\nexport const other = '0.1.0';\n";
    assert.equal(
      versions.replaceVersionConstants(text, '0.10.2'),
      "// since 0.1.0\nexport const toolVersion = '0.10.2';\nexport const other = '0.1.0';\n",
    );
  });

  it('is replaced in all documents that name it, which name the current version', () => {
    const found = findVersionedFiles(['*.md', 'docs/**/*.md', 'scripts/**/*.txt'], versions.replaceDocumentVersions);
    assert.deepEqual(found.toSorted(), versions.documentFiles.toSorted());
  });

  it('is replaced in all source files that have it, which have the current version', () => {
    const found = findVersionedFiles(['src/**/*.ts'], versions.replaceVersionConstants);
    assert.deepEqual(found.toSorted(), versions.sourceFiles.toSorted());
  });
});

describe('The check of commit subjects', () => {
  let commits: Commits;

  before(async () => {
    commits = (await import(join(scripts, 'lint', 'commits.mjs'))) as Commits;
  });

  it('accepts an area with an imperative summary', () => {
    assert.equal(commits.findSubjectProblem('client: retry GET after 503', false), undefined);
    assert.equal(commits.findSubjectProblem('service, docs: describe the access log', false), undefined);
  });

  it('names what is wrong with other subjects', () => {
    assert.match(commits.findSubjectProblem('Retry GET after 503', false) ?? '', /area/);
    assert.match(commits.findSubjectProblem('client: retry GET after 503.', false) ?? '', /without a period/);
    assert.match(commits.findSubjectProblem(`client: ${'a'.repeat(70)}`, false) ?? '', /78 characters/);
  });

  it('accepts a merge commit unless it names a folder or a remote branch', () => {
    assert.equal(commits.findSubjectProblem('Merge the citations', true), undefined);
    assert.match(commits.findSubjectProblem("Merge branch 'a' of /srv/copy into b", true) ?? '', /folder/);
    assert.match(commits.findSubjectProblem("Merge branch 'origin/a'", true) ?? '', /remote branch/);
  });
});
