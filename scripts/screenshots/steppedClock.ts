import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Controls an editor's time through a file that the extension in `steppedClock` reads. Time advances only on request.
 */
export class SteppedClock {
  /** Path of the extension that, together with {@link environment}, makes an editor use this clock. */
  readonly extensionPath = join(import.meta.dirname, 'steppedClock');
  readonly environment: Readonly<Record<string, string>>;
  readonly #file: string;
  #now = Date.UTC(2026, 2, 2, 9, 30);

  constructor(folder: string) {
    this.#file = join(folder, 'clock');
    this.environment = { STEPPED_CLOCK: this.#file, TZ: 'UTC' };
    this.pass(0);
  }

  /** The time in milliseconds since 1970. */
  get now(): number {
    return this.#now;
  }

  pass(seconds: number): void {
    this.#now += seconds * 1000;
    writeFileSync(`${this.#file}.new`, String(this.#now));
    renameSync(`${this.#file}.new`, this.#file);
  }

  /** Advances to the next full second, so that the result doesn't depend on the number of requests within a second. */
  passToSecond(): void {
    this.pass(Math.ceil(this.#now / 1000) - this.#now / 1000);
  }
}
