/** Blocks callers of `pass` between `hold` and `release`. */
export class Gate {
  private closed: { readonly opened: Promise<void>; readonly open: () => void } | undefined;
  private waiting = 0;

  /** Number of callers that are waiting in `pass`. */
  get waitingCount(): number {
    return this.waiting;
  }

  /** Closes the gate: later callers of `pass` wait. */
  hold(): void {
    if (this.closed) return;
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    this.closed = { opened, open };
  }

  /** Opens the gate and lets all waiting callers continue. */
  release(): void {
    this.closed?.open();
    this.closed = undefined;
  }

  /** Resolves immediately if the gate is open; otherwise, when it opens. */
  async pass(): Promise<void> {
    if (!this.closed) return;
    this.waiting += 1;
    await this.closed.opened;
    this.waiting -= 1;
  }
}
