import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** When the day of all pictures begins. */
const dawn = Date.UTC(2026, 2, 2, 9, 30);

/** The time of an editor, as a file that the extension beside this one reads: it stands until it is moved. */
export class HandClock {
  /** The extension that makes an editor follow the clock, and the variables that it needs. */
  readonly extensionPath = join(import.meta.dirname, 'handClock');
  readonly environment: Readonly<Record<string, string>>;
  readonly #file: string;
  #now = dawn;

  constructor(folder: string) {
    this.#file = join(folder, 'clock');
    this.environment = { HAND_CLOCK: this.#file, TZ: 'UTC' };
    this.#write();
  }

  /** Moves the time on. */
  pass({ minutes = 0, seconds = 0 }: { readonly minutes?: number; readonly seconds?: number }): void {
    this.#now += (minutes * 60 + seconds) * 1000;
    this.#write();
  }

  /** Moves on to the next whole second: what happened within one is shown alike, however many questions it took. */
  passToSecond(): void {
    this.#now = Math.ceil(this.#now / 1000) * 1000;
    this.#write();
  }

  #write(): void {
    writeFileSync(`${this.#file}.new`, String(this.#now));
    renameSync(`${this.#file}.new`, this.#file);
  }
}
