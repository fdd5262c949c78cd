import { SeededRandom } from '../random.ts';

/** An action of a soak test; `at` is in milliseconds since the start of the test. */
export type SoakAction = { readonly at: number } & (
  | { readonly kind: 'submit'; readonly window: number; readonly number: number; readonly paths: readonly string[] }
  | { readonly kind: 'cancel'; readonly window: number; readonly number: number }
  | { readonly kind: 'killService'; readonly pauseMs: number }
  | { readonly kind: 'killWindow'; readonly window: number; readonly pauseMs: number }
);

type Submission = Extract<SoakAction, { readonly kind: 'submit' }>;

/** Number of windows that share the ledger. */
export const windowCount = 2;
/** A file whose metadata contains a wrong hash, so that its transfer fails. */
export const brokenPath = 'broken.bin';

const fileCount = 30;
const shareForSubmitting = 0.9;

/** Returns the content of every file in the source, by path. The content doesn't depend on the seed of the plan. */
export function soakFiles(): ReadonlyMap<string, Buffer> {
  const random = new SeededRandom(1);
  const paths = Array.from({ length: fileCount }, (_, index) => `sub-${String(index % 3)}/file-${String(index)}.bin`);
  return new Map([...paths, brokenPath].map((path) => [path, Buffer.alloc(1_000 + random.below(250_000), path)]));
}

/**
 * Generates all actions of a soak test from the seed, sorted by time: submissions in the first 90% of the duration,
 * some of them canceled, and kills of the service and of windows.
 */
export function createSoakPlan(seed: number, durationMs: number, transferCount: number): readonly SoakAction[] {
  const random = new SeededRandom(seed);
  const actions = submissions(random, durationMs * shareForSubmitting, transferCount);
  for (let at = 0; ;) {
    at += 5_000 + random.below(10_000);
    if (at > durationMs) break;
    actions.push({ at, kind: 'killService', pauseMs: random.below(3) * random.below(1_500) });
  }
  for (let at = 0; ;) {
    at += 3_000 + random.below(7_000);
    if (at > durationMs) break;
    const pauseMs = random.below(3) * random.below(1_000);
    actions.push({ at, kind: 'killWindow', window: random.below(windowCount), pauseMs });
  }
  return actions.sort((one, other) => one.at - other.at);
}

function submissions(random: SeededRandom, spanMs: number, count: number): SoakAction[] {
  const paths = [...soakFiles().keys()].filter((path) => path !== brokenPath);
  return Array.from({ length: count }, (_, number) => {
    const at = random.below(spanMs);
    const window = random.below(windowCount);
    const chosen = paths.filter(() => random.below(3) === 0);
    if (random.below(10) === 0) chosen.push(brokenPath);
    const submit: Submission = {
      at,
      kind: 'submit',
      window,
      number,
      paths: chosen.length > 0 ? chosen : ['sub-0/file-0.bin'],
    };
    return [submit, ...createFollowUps(random, submit)];
  }).flat();
}

/** Returns the actions that follow a submission: sometimes a cancel, or a kill at about the time of the response. */
function createFollowUps(random: SeededRandom, { at, window, number }: Submission): SoakAction[] {
  const chance = random.below(16);
  const soon = at + random.below(50);
  if (chance < 2) {
    return [{ at: at + 500 + random.below(3_000), kind: 'cancel', window: random.below(windowCount), number }];
  }
  if (chance < 4) return [{ at: soon, kind: 'killService', pauseMs: 0 }];
  return chance < 6 ? [{ at: soon, kind: 'killWindow', window, pauseMs: 0 }] : [];
}
