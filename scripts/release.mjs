/**
 * `npm run release -- 0.2.0` prepares a release. Sets the version in `package.json`, documents and source files, dates
 * the changelog, and packs the VSIX. Publishes nothing; prints the remaining steps (see docs/releasing.md).
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLaterVersion, releaseEntries } from './release/changelog.mjs';
import { documentFiles, replaceDocumentVersions, replaceVersionConstants, sourceFiles } from './release/versions.mjs';
import { runScript, setup } from './setup.mjs';
import { readOptions } from './setup/scriptOptions.mjs';
import { StepError, npm, root, say, step } from './setup/steps.mjs';

const changelogFile = join(root, 'CHANGELOG.md');

function currentVersion() {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
}

function checkVersion(version) {
  const current = currentVersion();
  if (version === undefined)
    throw new StepError(`Specify the version: npm run release -- X.Y.Z (currently ${current}).`);
  if (!isLaterVersion(version, current)) {
    throw new StepError(
      `The version must be later than ${current} and have the form major.minor.patch, not ${version}.`,
    );
  }
}

function checkWorkTree() {
  const changes = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' });
  if (changes !== '') throw new StepError(`Commit or stash these changes first:\n${changes.trimEnd()}`);
}

function datedChangelog(version) {
  try {
    return releaseEntries(readFileSync(changelogFile, 'utf8'), version, new Date().toISOString().slice(0, 10));
  } catch (error) {
    throw new StepError(error.message);
  }
}

function replaceIn(files, replace, version) {
  for (const name of files) {
    const file = join(root, name);
    writeFileSync(file, replace(readFileSync(file, 'utf8'), version));
  }
}

const usage = {
  command: 'npm run release --',
  about: 'Prepares a release: sets the version, dates the changelog, and packs the VSIX. Publishes nothing.',
  operand: 'X.Y.Z',
};

await runScript(async () => {
  const options = readOptions(usage);
  if (!options) return;
  const [version] = options.positionals;
  checkVersion(version);
  checkWorkTree();
  const changelog = datedChangelog(version);
  await setup({ editor: false });
  await step('Version', () => npm(['version', version, '--no-git-tag-version'], { cwd: root, label: 'npm version' }));
  writeFileSync(changelogFile, changelog);
  replaceIn(documentFiles, replaceDocumentVersions, version);
  replaceIn(sourceFiles, replaceVersionConstants, version);
  await step('Package', () => npm(['run', '--silent', 'package'], { cwd: root, label: 'npm run package' }));
  say(`\nPrepared ${version}. Nothing was committed or published. Next, as docs/releasing.md describes:`);
  say(`  git commit --all --message "release: publish ${version}" && git tag v${version}`);
  say(`  try data-transfer-explorer-${version}.vsix in a clean editor, then publish it`);
});
