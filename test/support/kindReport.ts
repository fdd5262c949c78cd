/** Counts the cases of each kind of place, and prints them as a table. */
export class KindReport {
  /** The name and version of the rclone that was used. */
  version = '';
  private readonly rows = new Map<string, { run: number; passed: number; leftOut: string[] }>();

  /** Counts the tests of the current suite. */
  count(kind: string): void {
    const row = this.getRow(kind);
    afterEach(function () {
      row.run += 1;
      if (this.currentTest?.state === 'passed') row.passed += 1;
    });
  }

  leaveOut(kind: string, title: string, reason: string): void {
    this.getRow(kind).leftOut.push(`${title}: ${reason}`);
  }

  print(): void {
    for (const [kind, { run, passed, leftOut }] of this.rows)
      console.log([`${kind}, ${this.version}: ${passed} of ${run} passed`, ...leftOut].join('\n    not applicable: '));
  }

  private getRow(kind: string): { run: number; passed: number; leftOut: string[] } {
    const row = this.rows.get(kind) ?? { run: 0, passed: 0, leftOut: [] };
    this.rows.set(kind, row);
    return row;
  }
}
