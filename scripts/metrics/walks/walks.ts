/**
 * Runs five common operations with the real local service, and counts the functions and files of `src` that each enters.
 *
 * - Each operation runs once before it is measured, so that nothing counts that is done only once. The command line is
 *   an exception: a command is a new process.
 * - A measurement ends a few seconds after the operation's result, because saving, the heartbeat of the polling lease and
 *   the messages between windows belong to it. Nothing else is due in this time, so all runs enter the same functions.
 * - In the service, the main thread and the threads that move files count. The others read the destination afterwards.
 * - Of the command line, only functions with a name count. Its many callbacks define options.
 */
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import type { Profiler } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { joinEntered, readEntered, type Entered } from './entered.ts';
import { ProcessProfiler, profileThisThread, type CallProfiler } from './profilers.ts';
import { WalkStand } from './walkStand.ts';

/** The numbers of functions and files that an operation enters. */
interface Walk {
  readonly title: string;
  readonly entered: Entered;
  readonly wanted: string;
}

/** More than the interval of the heartbeat. */
const quietMs = 3_500;

/** Prints the numbers of functions and files that five operations enter. With `isListed`, also prints the functions. */
export async function printWalks(root: string, isListed: boolean): Promise<void> {
  const stand = await WalkStand.start();
  try {
    for (const walk of await measureWalks(root, stand)) printWalk(walk, isListed);
  } finally {
    await stand.stop();
  }
}

function printWalk({ title, entered, wanted }: Walk, isListed: boolean): void {
  const paths = [...new Set([...entered.values()].map(({ path }) => path))];
  console.log(`${title}: ${entered.size} functions, ${paths.length} files (wanted: ${wanted})`);
  if (!isListed) return;
  for (const path of paths) {
    const names = [...entered.values()].filter((one) => one.path === path).map(({ name }) => name || '=>');
    console.log(`    ${path}: ${names.join(' ')}`);
  }
}

async function measureWalks(root: string, stand: WalkStand): Promise<readonly Walk[]> {
  // First, because the large transfers that the window starts take all that the service is allowed to move.
  const move = await measureMove(root, stand);
  const command = await measureCommand(root, stand);
  return [
    ...(await measureWindow(root, stand)),
    { title: 'one file in the service', entered: move, wanted: '220, 26' },
    { title: "the command line's search", entered: command, wanted: '220, 50' },
  ];
}

async function measureWindow(root: string, stand: WalkStand): Promise<readonly Walk[]> {
  const profiler = await profileThisThread(root);
  const search = async (): Promise<unknown> => await stand.search();
  const submit = async (): Promise<unknown> => await stand.submit();
  try {
    return [
      { title: 'search', entered: await measure(profiler, search), wanted: '75, 14' },
      { title: 'submission with its first poll', entered: await measure(profiler, submit), wanted: '160, 28' },
      { title: 'status poll', entered: await measure(profiler, await stand.preparePoll()), wanted: '120, 22' },
    ];
  } finally {
    profiler.dispose();
  }
}

async function measureMove(root: string, stand: WalkStand): Promise<Entered> {
  const profiler = await ProcessProfiler.connect(root, stand.inspector);
  const movesFiles = (thread: Entered): boolean =>
    [...thread.values()].some(({ path }) => path.startsWith('src/service/transfers/'));
  try {
    return await measure(profiler, async () => await stand.move(), movesFiles);
  } finally {
    profiler.dispose();
  }
}

/** Runs an operation twice, and returns the functions that the counted threads enter in the second run. */
async function measure(
  profiler: CallProfiler,
  run: () => Promise<unknown>,
  isCounted: (thread: Entered) => boolean = () => true,
): Promise<Entered> {
  await run();
  await setTimeout(quietMs);
  await profiler.take();
  await run();
  await setTimeout(quietMs);
  return joinEntered((await profiler.take()).filter(isCounted));
}

async function measureCommand(root: string, stand: WalkStand): Promise<Entered> {
  const folder = await mkdtemp(join(tmpdir(), 'walk-coverage-'));
  try {
    await stand.runSearchCommand(root, folder);
    const [file = ''] = await readdir(folder);
    const { result } = JSON.parse(await readFile(join(folder, file), 'utf8')) as Profiler.TakePreciseCoverageReturnType;
    return new Map([...readEntered(root, result)].filter(([, { name }]) => name !== ''));
  } finally {
    await rm(folder, { recursive: true });
  }
}
