/** Packs the command line as an npm package without dependencies, from the files that were built. */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npm, root, StepError } from '../setup/steps.mjs';

const programs = ['cli/main.cjs', 'cli/program.cjs', 'cli/mcp.cjs', 'service/main.cjs', 'service/thread.cjs'];

/** Writes `data-transfer-cli-<version>.tgz` to `destination`. Resolves to its path. `built` is the folder of the build. */
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
    ...{ name: 'data-transfer-cli', version, license, repository, homepage, bugs },
    description: 'Searches and transfers files of a data transfer service from the command line.',
    bin: { 'data-transfer': 'dist/cli/main.cjs' },
    files: ['dist', 'LICENSE-THIRD-PARTY.txt'],
    engines: { node: '>=20.18.1' },
  };
}

function stageFiles(stage, built, manifest) {
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  cpSync(join(root, 'LICENSE'), join(stage, 'LICENSE'));
  cpSync(join(root, 'docs', 'command-line.md'), join(stage, 'README.md'));
  const notices = join(built, 'LICENSE-THIRD-PARTY.txt');
  if (existsSync(notices)) cpSync(notices, join(stage, 'LICENSE-THIRD-PARTY.txt'));
  for (const program of programs) {
    const file = join(built, program);
    if (!existsSync(file)) throw new StepError(`${file} does not exist; build it first.`);
    for (const extra of ['', '.LEGAL.txt']) {
      if (existsSync(file + extra)) cpSync(file + extra, join(stage, 'dist', program + extra));
    }
  }
}
