/** Blocks callers of `pass` between `hold` and `release`. */
export class Gate {
  private closed: { readonly opened: Promise<void>; readonly open: () => void } | undefined;
  private waiting = 0;

  /** Number of callers that are waiting. */
  get waitingCount(): number {
    return this.waiting;
  }

  hold(): void {
    if (this.closed) return;
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    this.closed = { opened, open };
  }

  release(): void {
    this.closed?.open();
    this.closed = undefined;
  }

  async pass(): Promise<void> {
    if (!this.closed) return;
    this.waiting += 1;
    await this.closed.opened;
    this.waiting -= 1;
  }
}
