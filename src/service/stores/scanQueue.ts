interface WaitingScan {
  readonly folders: Set<string>;
  readonly ended: Promise<void>;
}

/** Runs one scan at a time. Requests that are made during a scan share the next one. */
export class ScanQueue {
  private readonly run: (folders: ReadonlySet<string>) => Promise<void>;
  private waiting: WaitingScan | undefined;
  private last: Promise<void> = Promise.resolve();

  /** `run` scans the given folders, and never rejects. */
  constructor(run: (folders: ReadonlySet<string>) => Promise<void>) {
    this.run = run;
  }

  /** Resolves when all scans requested so far have ended. */
  get ended(): Promise<void> {
    return this.last;
  }

  /** Requests a scan of a folder. Resolves when it has ended. */
  async request(folder: string): Promise<void> {
    this.waiting ??= this.append();
    this.waiting.folders.add(folder);
    await this.waiting.ended;
  }

  private append(): WaitingScan {
    const folders = new Set<string>();
    const ended = this.last.then(async () => {
      this.waiting = undefined;
      await this.run(folders);
    });
    this.last = ended;
    return { folders, ended };
  }
}
