/**
 * Takes pictures under Node 24; started by scripts/screenshots.mjs:
 * `node scripts/screenshots/main.ts [--check | --all] [--scene name]… [--theme name]…`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { repositoryRoot } from '../../test/support/editor/places.ts';
import { themes, type ThemeName } from '../../test/support/editor/settings.ts';
import { Camera } from './camera.ts';
import { differences } from './differences.ts';
import type { Scene } from './scene.ts';
import { connections, firstSteps, untrusted } from './scenes/connecting.ts';
import { metadataPages } from './scenes/pages.ts';
import { outcomes, pausedTransfers } from './scenes/outcomes.ts';
import { readme } from './scenes/readme.ts';
import { refusalStates } from './scenes/refusals.ts';
import { searches, searchSteps } from './scenes/searching.ts';
import { transfers } from './scenes/transferring.ts';
import { unsettled } from './scenes/unsettled.ts';
import { writeSheet } from './sheet.ts';
import { shoot } from './shoot.ts';

const readmeFolder = join(repositoryRoot, 'media', 'screenshots');
/** Not under version control. */
const allFolder = join(repositoryRoot, 'screenshots');

const allScenes = [
  firstSteps,
  untrusted,
  connections,
  searchSteps,
  searches,
  refusalStates,
  transfers,
  outcomes,
  pausedTransfers,
  unsettled,
  metadataPages,
];
const allThemes = Object.keys(themes) as ThemeName[];

const { values: options } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    scene: { type: 'string', multiple: true },
    theme: { type: 'string', multiple: true },
  },
});

async function shootAll(scenes: readonly Scene[], folder: string, wanted: readonly ThemeName[]): Promise<string[]> {
  const failures: string[] = [];
  for (const scene of scenes) failures.push(...(await shoot(scene, new Camera(folder, wanted))));
  return failures;
}

function shootReadme(folder: string): Promise<string[]> {
  return shootAll([readme], folder, []);
}

/** Takes the pictures of the README once more and compares them, pixel by pixel, with those of a run before. */
async function check(): Promise<string[]> {
  const again = await mkdtemp(join(tmpdir(), 'pictures-again-'));
  try {
    const failures = [...(await shootReadme(readmeFolder)), ...(await shootReadme(again))];
    return failures.length > 0 ? failures : await differences(readmeFolder, again);
  } finally {
    await rm(again, { recursive: true, force: true });
  }
}

async function shootEverything(): Promise<string[]> {
  const scenes = allScenes.filter(({ name }) => options.scene?.includes(name) ?? true);
  const wanted = allThemes.filter((name) => options.theme?.includes(name) ?? true);
  const failures = await shootAll(scenes, allFolder, wanted);
  await writeSheet(allFolder, allThemes);
  return failures;
}

const failures = options.all ? await shootEverything() : await (options.check ? check() : shootReadme(readmeFolder));
for (const failure of failures) console.error(failure);
if (failures.length > 0) process.exitCode = 1;
else console.log(`The pictures are in ${options.all ? allFolder : readmeFolder}.`);
