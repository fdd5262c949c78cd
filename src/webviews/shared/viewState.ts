const mostKeptPaths = 500;

/** What the person opened and unfolded in the page; it outlives every snapshot. */
export class ViewState {
  private readonly opened = new Set<string>();
  private readonly limits = new Map<string, number>();

  isOpen(path: string): boolean {
    return this.opened.has(path);
  }

  setOpen(path: string, open: boolean): void {
    if (open) this.opened.add(path);
    else this.opened.delete(path);
  }

  /** The paths that are open, as many as are worth keeping. */
  openedPaths(): readonly string[] {
    return [...this.opened].slice(0, mostKeptPaths);
  }

  /** How much of a long list or text is shown. */
  limit(path: string, initial: number): number {
    return this.limits.get(path) ?? initial;
  }

  raiseLimit(path: string, limit: number): void {
    this.limits.set(path, limit);
  }

  /** Forgets everything, for a page that turns to something else. */
  clear(): void {
    this.opened.clear();
    this.limits.clear();
  }
}
