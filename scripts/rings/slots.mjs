/** Limits the number of concurrent tasks; starts waiting tasks in the order in which they were added. */
export class Slots {
  constructor(count) {
    this.free = count;
    this.waiting = [];
  }

  async run(work) {
    if (this.free > 0) this.free -= 1;
    else await new Promise((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free += 1;
    }
  }
}
