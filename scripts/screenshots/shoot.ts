import { keepEvidence } from '../../test/support/editor/evidence.ts';
import type { Camera } from './camera.ts';
import type { Scene } from './scene.ts';
import { Stage } from './stage.ts';

/** Takes the pictures of a scene; resolves to a line for each state that did not come about. The others are tried all the same. */
export async function shoot(scene: Scene, camera: Camera): Promise<readonly string[]> {
  const started = performance.now();
  const failures: string[] = [];
  const stage = await Stage.open(camera, scene.stage);
  try {
    for (const state of scene.states) {
      try {
        await state.steps(stage);
        await camera.take(stage, state);
      } catch (error) {
        failures.push(`${state.name}: ${firstLine(error)}`);
        for (const file of await keepEvidence(state.name)) console.log(`kept ${file}`);
      }
    }
  } finally {
    await stage.close();
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${scene.name}: ${scene.states.length} states, ${failures.length} failed, ${seconds} s`);
  return failures;
}

function firstLine(error: unknown): string {
  return String(error).split('\n', 1)[0] ?? '';
}
