import { setTimeout as pause } from 'node:timers/promises';

const limitMs = 15_000;
const intervalMs = 40;

/** Asks again until there is an answer other than `undefined`; after the limit it fails and names what was awaited. */
export async function until<T>(what: string, ask: () => Promise<T | undefined>, waitMs = limitMs): Promise<T> {
  const end = performance.now() + waitMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() > end) throw new Error(`Waited ${waitMs / 1000} s in vain for ${what}.`);
    await pause(intervalMs);
  }
}
