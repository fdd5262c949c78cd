/**
 * Takes screenshots under Node.js 24:
 * `node scripts/screenshots/main.ts [--check | --animation | --all] [--scene name]… [--theme name]… [--look name]…`.
 * Started by `scripts/screenshots.mjs`.
 */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { saveFailureArtifacts } from '../../test/support/editor/failureArtifacts.ts';
import { repositoryRoot } from '../../test/support/editor/places.ts';
import { themes, type ThemeName } from '../../test/support/editor/settings.ts';
import { writeAnimation } from './animation.ts';
import { takeScreenshot } from './camera.ts';
import { findDifferences } from './differences.ts';
import { layouts } from './layouts.ts';
import { readScenes, type Scene, type State } from './scenes.ts';
import { writeSheets } from './sheet.ts';
import { openStage, type Stage } from './stage.ts';

const readmeFolder = join(repositoryRoot, 'media', 'screenshots');
/** Folder for the screenshots of all scenes. Not under version control. */
const allFolder = join(repositoryRoot, 'screenshots');

const scenes = readScenes();
const [readme = assert.fail('No scenes found.'), animation = assert.fail('No animation found.')] = scenes;
const allThemes = Object.keys(themes) as ThemeName[];

const names = { type: 'string', multiple: true } as const;
const flag = { type: 'boolean', default: false } as const;
const looksOption = { ...names, default: ['plain'] };
const { values: options } = parseArgs({
  options: { all: flag, animation: flag, check: flag, scene: names, theme: names, look: looksOption },
});
requireKnown(
  'scene',
  options.scene,
  scenes.map(({ name }) => name),
);
requireKnown('theme', options.theme, allThemes);
requireKnown('look', options.look, Object.keys(layouts));
const chosenThemes = allThemes.filter((name) => options.theme?.includes(name) ?? true);
const chosenLooks = Object.entries(layouts).filter(([name]) => options.look.includes(name));

/** Ends the program with exit code 2 if an option has an unknown value. */
function requireKnown(option: string, given: readonly string[] | undefined, known: readonly string[]): void {
  const unknown = given?.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  console.error(`--${option} ${unknown} is unknown. Choose from: ${known.join(', ')}.`);
  process.exit(2);
}

async function takeState(stage: Stage, { name, theme: only, steps }: State, folder: string): Promise<void> {
  stage.hover = undefined;
  for (const { action, args } of steps) await action(stage, ...args);
  for (const [look, arrange] of chosenLooks) {
    const restore = await arrange(stage);
    if (!restore) continue;
    const file = look === 'plain' ? name : `${name}@${look}`;
    for (const theme of only ? [only] : chosenThemes)
      await writeFile(join(folder, `${file}-${theme}.png`), await takeScreenshot(stage, theme));
    await restore();
  }
}

/** Takes the screenshots of a scene; resolves to a line for each state that failed. */
async function takeScene(scene: Scene, folder: string): Promise<readonly string[]> {
  const started = performance.now();
  const failures: string[] = [];
  await mkdir(folder, { recursive: true });
  const stage = await openStage(scene);
  try {
    for (const state of scene.states)
      await takeState(stage, state, folder).catch(async (error: unknown) => {
        failures.push(`${state.name}: ${String(error).split('\n', 1)[0] ?? ''}`);
        for (const file of await saveFailureArtifacts(state.name)) console.log(`saved ${file}`);
      });
  } finally {
    await stage.close();
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${scene.name}: ${scene.states.length} states, ${failures.length} failed, ${seconds} s`);
  return failures;
}

/** Takes the screenshots for the README twice and compares them. Resolves to a line for each failure or difference. */
async function check(): Promise<readonly string[]> {
  const second = await mkdtemp(join(tmpdir(), 'screenshots-again-'));
  try {
    const failures = [...(await takeScene(readme, readmeFolder)), ...(await takeScene(readme, second))];
    return failures.length > 0 ? failures : await findDifferences(readmeFolder, second);
  } finally {
    await rm(second, { recursive: true, force: true });
  }
}

/** Creates the animation for the README from the screenshots of its scene. Resolves to a line for each failure. */
async function animate(): Promise<readonly string[]> {
  const frames = await mkdtemp(join(tmpdir(), 'frames-'));
  try {
    const failures = await takeScene(animation, frames);
    const screenshots = animation.states.map(({ name, theme = 'light' }) => join(frames, `${name}-${theme}.png`));
    if (failures.length === 0) await writeAnimation(screenshots, join(readmeFolder, 'first-transfer.webp'));
    return failures;
  } finally {
    await rm(frames, { recursive: true, force: true });
  }
}

async function takeAll(): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const scene of scenes)
    if (options.scene?.includes(scene.name) ?? ![readme, animation].includes(scene))
      failures.push(...(await takeScene(scene, allFolder)));
  await writeSheets(allFolder, allThemes);
  return failures;
}

function takeChosen(): Promise<readonly string[]> {
  if (options.all) return takeAll();
  if (options.animation) return animate();
  return options.check ? check() : takeScene(readme, readmeFolder);
}

const failures = await takeChosen();
for (const failure of failures) console.error(failure);
if (failures.length > 0) process.exitCode = 1;
else console.log(`The screenshots are in ${options.all ? allFolder : readmeFolder}.`);
