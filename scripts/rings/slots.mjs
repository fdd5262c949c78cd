/**
 * Limits the number of concurrent tasks. Starts waiting tasks of lower rounds first; those of one round in the order in
 * which they were added.
 */
export class Slots {
  constructor(count) {
    this.free = count;
    this.waiting = [];
  }

  async run(round, work) {
    await new Promise((resolve) => {
      this.waiting.push({ round, resolve });
      // Tasks that are added at the same time start in the order of their rounds.
      process.nextTick(() => this.start());
    });
    try {
      return await work();
    } finally {
      this.free += 1;
      this.start();
    }
  }

  start() {
    this.waiting.sort((one, other) => one.round - other.round);
    for (const { resolve } of this.waiting.splice(0, this.free)) {
      this.free -= 1;
      resolve();
    }
  }
}
