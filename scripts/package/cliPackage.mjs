/** Packs the build output of the command-line tool as an npm package without dependencies. */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npm, root, StepError } from '../setup/steps.mjs';

/**
 * Writes `data-transfer-cli-<version>.tgz` to `destination`. Resolves to the file's path. `built` is the build folder.
 */
export async function packCli(built, destination) {
  const manifest = createManifest();
  const stage = mkdtempSync(join(tmpdir(), 'cli-package-'));
  try {
    stageFiles(stage, built, manifest);
    const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', destination];
    await npm(args, { cwd: stage, label: 'npm pack' });
    return join(destination, `${manifest.name}-${manifest.version}.tgz`);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

function createManifest() {
  const { version, license, repository, homepage, bugs } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return {
    name: 'data-transfer-cli',
    version,
    license,
    repository,
    homepage,
    bugs,
    description: 'Searches and transfers files of a data transfer service from the command line.',
    type: 'module',
    bin: { 'data-transfer': 'dist/cli/main.cjs' },
    files: ['dist', 'LICENSE-THIRD-PARTY.txt'],
    engines: { node: '>=20.18.1' },
  };
}

/** Returns the text of `docs/command-line.md`, with links to other documents pointing to the repository. */
function createReadme({ homepage }) {
  const text = readFileSync(join(root, 'docs', 'command-line.md'), 'utf8');
  const repository = `${homepage.replace(/#.*/, '')}/blob/HEAD`;
  return text.replaceAll(/\]\(\.\.\//g, `](${repository}/`).replaceAll(/\]\((?=[\w/-]+\.md)/g, `](${repository}/docs/`);
}

function stageFiles(stage, built, manifest) {
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  cpSync(join(root, 'LICENSE'), join(stage, 'LICENSE'));
  writeFileSync(join(stage, 'README.md'), createReadme(manifest));
  const notices = join(built, 'LICENSE-THIRD-PARTY.txt');
  if (existsSync(notices)) cpSync(notices, join(stage, 'LICENSE-THIRD-PARTY.txt'));
  const list = join(built, 'cli', 'files.json');
  if (!existsSync(list)) throw new StepError(`${list} does not exist; build the command line first.`);
  for (const file of JSON.parse(readFileSync(list, 'utf8')))
    for (const extra of ['', '.LEGAL.txt'])
      if (extra === '' || existsSync(join(built, file + extra)))
        cpSync(join(built, file + extra), join(stage, 'dist', file + extra));
}
