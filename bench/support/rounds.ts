import * as fs from 'node:fs';
import { limits, type Bench } from './limits.ts';

/** The name of a measurement of a bench. */
export type MeasurementName<B extends Bench> = keyof (typeof limits)[B] & string;

/** Prints a measurement. Above its limit, the bench exits with code 1, unless it measures with less data. */
export type Report<B extends Bench> = (name: MeasurementName<B>, value: number) => void;

/** Two implementations of the same task. Each resolves to its cost, in any unit. */
export interface Comparison {
  readonly ours: () => Promise<number>;
  readonly reference: () => Promise<number>;
  /** Number of runs of each in a round. */
  readonly turns: number;
}

const rounds = 5;

/**
 * Resolves to the median of the cost ratios of five rounds. In each round, the two implementations take turns and swap
 * their order every time, so that a slow moment of the machine affects both. The ratio of a round compares total costs.
 * A first round for warm-up isn't counted.
 */
export async function measureRatio(contest: Comparison): Promise<number> {
  await measureRound(contest);
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) ratios.push(await measureRound(contest));
  return getMedian(ratios);
}

async function measureRound({ ours, reference, turns }: Comparison): Promise<number> {
  globalThis.gc?.();
  let oursCost = 0;
  let referenceCost = 0;
  for (let turn = 0; turn < turns; turn++) {
    if (turn % 2 === 0) oursCost += await ours();
    referenceCost += await reference();
    if (turn % 2 === 1) oursCost += await ours();
  }
  return oursCost / referenceCost;
}

/** Returns the median; for an even number of values, the higher of the two middle ones. */
export function getMedian(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Resolves to the duration of `work` in milliseconds. */
export async function measureTime(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

const ticksPerSecond = 100;

/** Returns the seconds of CPU time of a process and its ended children. */
export function getCpuSeconds(pid: number): number {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / ticksPerSecond;
}

/** Resolves to the duration of `work` in milliseconds, after a garbage collection that isn't counted. */
export async function measureCleanTime(work: () => Promise<unknown>): Promise<number> {
  globalThis.gc?.();
  return await measureTime(work);
}

/** Returns the function that prints the measurements of a bench, as JSON or as text. */
export function createReport<B extends Bench>(
  bench: B,
  { json, quick = false }: { readonly json: boolean; readonly quick?: boolean },
): Report<B> {
  const limitOf: Readonly<Record<string, number>> = limits[bench];
  return (measurement, measured) => {
    const name = quick ? `${measurement}, with less data` : measurement;
    const limit = limitOf[measurement] ?? Number.NaN;
    const ratio = Math.round(measured * 1000) / 1000;
    const ok = ratio <= limit;
    const row = `${ok ? '✔' : '✘'} ${ratio.toFixed(3).padStart(7)}   at most ${limit.toFixed(2).padStart(6)}   ${name}`;
    console.log(json ? JSON.stringify({ name, ratio, limit, ok }) : row);
    if (!ok && !quick) process.exitCode = 1;
  };
}

/** Prints to standard error what a bench does. */
export function say(text: string): void {
  console.error(`· ${text}`);
}
