interface WaitingScan {
  readonly folders: Set<string>;
  readonly ended: Promise<void>;
}

/** Runs one scan at a time. Requests that are made during a scan share the next one. */
export class ScanQueue {
  private readonly run: (folders: ReadonlySet<string>) => Promise<void>;
  private waiting: WaitingScan | undefined;
  private last: Promise<void> = Promise.resolve();
  private unfinishedCount = 0;

  /** Creates a queue. `run` must scan the given folders and never reject. */
  constructor(run: (folders: ReadonlySet<string>) => Promise<void>) {
    this.run = run;
  }

  /** Resolves when all scans requested so far have ended. */
  get ended(): Promise<void> {
    return this.last;
  }

  /** True from the request of a scan until the last requested one has ended. */
  get isBusy(): boolean {
    return this.unfinishedCount > 0;
  }

  /** Requests a scan of a folder. Resolves when the scan has ended. */
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
      this.unfinishedCount--;
    });
    this.unfinishedCount++;
    this.last = ended;
    return { folders, ended };
  }
}
