import { setTimeout as pause } from 'node:timers/promises';

/** Long enough for a window that is loaded on a machine with much else to do; what is there sooner costs no time. */
const limitMs = 45_000;
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
