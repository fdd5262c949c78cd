import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../core/util/clock.ts';
import { underLock } from '../core/util/fileLock.ts';
import type { Logger } from '../core/util/logger.ts';

/** The part of the editor's own state that is used here. */
interface EditorState {
  get(name: string): unknown;
  update(name: string, value: undefined): PromiseLike<void>;
}

/** Dependencies of {@link StateFiles}. */
export interface StateFilesParts {
  readonly folder: string;
  /** The editor's state, in which version 0.1 stored these values. */
  readonly editorState: EditorState;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Stores small JSON values, one file per value (D45). The editor writes its own state some time after an extension
 * sets it, and a window that is reloaded in between loses it. A value stored here is on the disk when the call
 * resolves. No call rejects: a value that can't be written is kept in memory until the window closes.
 */
export class StateFiles {
  private readonly parts: StateFilesParts;
  /** The last write of each value, so that writes of this window keep their order. */
  private readonly writes = new Map<string, Promise<void>>();
  /** Values that could not be written. */
  private readonly unsaved = new Map<string, unknown>();
  private readonly reported = new Set<string>();

  constructor(parts: StateFilesParts) {
    this.parts = parts;
  }

  /** Returns a value: from its file, or from the editor's state as long as there is no file. */
  async read(name: string): Promise<unknown> {
    if (this.unsaved.has(name)) return this.unsaved.get(name);
    try {
      const text = await this.readText(name);
      return text === undefined ? this.parts.editorState.get(name) : JSON.parse(text);
    } catch (error) {
      this.report(name, 'read', error);
      return undefined;
    }
  }

  /** Replaces a value. */
  async write(name: string, value: unknown): Promise<void> {
    await this.inTurn(name, async () => await this.store(name, value));
  }

  /** Replaces a value with what `change` makes of it, while no other window does so. `change` may be called twice. */
  async update(name: string, change: (value: unknown) => unknown): Promise<void> {
    const { folder, clock } = this.parts;
    await this.inTurn(name, async () => {
      const store = async (): Promise<void> => await this.store(name, change(await this.read(name)));
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await underLock(join(folder, `${name}.lock`), clock, store);
      } catch {
        // Without the lock, the worst outcome is that a change another window makes right now is lost.
        await store();
      }
    });
  }

  private async inTurn(name: string, act: () => Promise<void>): Promise<void> {
    const write = (this.writes.get(name) ?? Promise.resolve()).then(act);
    this.writes.set(name, write);
    await write;
  }

  private async store(name: string, value: unknown): Promise<void> {
    try {
      await this.writeFile(name, JSON.stringify(value));
    } catch (error) {
      this.unsaved.set(name, value);
      this.report(name, 'written', error);
      return;
    }
    this.unsaved.delete(name);
    await this.clearEditorState(name);
  }

  /** Writes a temporary file and renames it, so that no window reads half a value. */
  private async writeFile(name: string, text: string): Promise<void> {
    const { folder } = this.parts;
    const temporary = join(folder, `${name}.${randomUUID()}.part`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      await writeFile(temporary, text, { mode: 0o600 });
      await rename(temporary, this.pathOf(name));
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  /** Removes the value of version 0.1, so that it doesn't come back when its file is deleted. */
  private async clearEditorState(name: string): Promise<void> {
    const { editorState } = this.parts;
    if (editorState.get(name) === undefined) return;
    try {
      await editorState.update(name, undefined);
    } catch (error) {
      this.report(name, 'moved', error);
    }
  }

  private async readText(name: string): Promise<string | undefined> {
    try {
      return await readFile(this.pathOf(name), 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  }

  private pathOf(name: string): string {
    return join(this.parts.folder, `${name}.json`);
  }

  /** Logs a failure once for each value and kind of failure. */
  private report(name: string, what: 'read' | 'written' | 'moved', error: unknown): void {
    const failure = [name, what].join(' ');
    if (this.reported.has(failure)) return;
    this.reported.add(failure);
    this.parts.log.warn(`The saved state "${name}" could not be ${what}: ${String(error)}`);
  }
}
