import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');
const scripts = join(root, 'scripts');

interface Changelog {
  releaseEntries(changelog: string, version: string, day: string): string;
  isLaterVersion(next: string, current: string): boolean;
}

interface Documents {
  readonly documentFiles: readonly string[];
  replacePackageNames(text: string, version: string): string;
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

describe('The documents with the names of the packages', () => {
  let documents: Documents;

  before(async () => {
    documents = (await import(join(scripts, 'release', 'packageNames.mjs'))) as Documents;
  });

  it('get the names of the new version, and nothing else changes', () => {
    const text = 'Since 0.1.0: data-transfer-explorer-0.1.0.vsix, ./data-transfer-cli-0.1.0.tgz, name-X.Y.Z.vsix';
    assert.equal(
      documents.replacePackageNames(text, '0.10.2'),
      'Since 0.1.0: data-transfer-explorer-0.10.2.vsix, ./data-transfer-cli-0.10.2.tgz, name-X.Y.Z.vsix',
    );
  });

  it('name the packages of the current version, and are all that do', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
    const naming = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).filter((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      assert.equal(documents.replacePackageNames(text, version), text, file);
      return documents.replacePackageNames(text, '9.9.9') !== text;
    });
    assert.deepEqual(naming.toSorted(), documents.documentFiles.toSorted());
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
    assert.match(commits.findSubjectProblem('client: retry GET after 503.', false) ?? '', /full stop/);
    assert.match(commits.findSubjectProblem(`client: ${'a'.repeat(70)}`, false) ?? '', /78 characters/);
  });

  it('accepts a merge commit unless it names a folder or a remote branch', () => {
    assert.equal(commits.findSubjectProblem('Merge the citations', true), undefined);
    assert.match(commits.findSubjectProblem("Merge branch 'a' of /srv/copy into b", true) ?? '', /folder/);
    assert.match(commits.findSubjectProblem("Merge branch 'origin/a'", true) ?? '', /remote branch/);
  });
});
