/**
 * Assigns each test file of a ring to the next process that is ready. Holds the last file back until all others are
 * finished.
 */
export class FileQueue {
  /** Totals of the finished files, passed on to the last file. */
  run = { notRun: 0, commands: [] };

  constructor(files, { lastFile, order }) {
    const others = files.filter((file) => file !== lastFile);
    this.waiting = order === 'reverse' ? others.reverse() : others;
    // If each test runs separately, there are no totals to check.
    this.last = order === 'alone' ? undefined : lastFile;
    this.open = new Set();
    this.allDone = new Promise((resolve) => (this.finishAll = resolve));
  }

  get areLeft() {
    return this.waiting.length > 0;
  }

  /**
   * Marks the process's previous file, if any, as finished. Resolves to the next file for the process, or to an empty
   * object if no file is left. The totals accompany the last file.
   */
  async next({ file, notRun, commands }) {
    if (file !== undefined) this.finish(file, notRun, commands);
    const next = this.waiting.shift();
    if (next !== undefined) {
      this.open.add(next);
      return { file: next };
    }
    const { last } = this;
    this.last = undefined;
    if (last === undefined) return {};
    if (this.open.size > 0) await this.allDone;
    return { file: last, environment: { DATA_TRANSFER_JOURNEYS_RUN: JSON.stringify(this.run) } };
  }

  /** Marks a file as finished. If there are no results because its process crashed, counts one test as not run. */
  finish(file, notRun = 1, commands = []) {
    this.open.delete(file);
    this.run.notRun += notRun;
    this.run.commands = [...new Set([...this.run.commands, ...commands])];
    if (this.open.size === 0 && !this.areLeft) this.finishAll();
  }
}
