/** Something that is to be ended. The editor's own `Disposable` fits. */
export interface Disposable {
  dispose(): unknown;
}

/** Owns what a part creates, and ends it in the reverse order of its creation. */
export class Lifetime implements Disposable {
  private readonly owned: Disposable[] = [];
  private ended = false;

  /** Takes ownership of `part` and returns it, so that creating and tracking stand on one line. */
  track<T extends Disposable>(part: T): T {
    if (this.ended) part.dispose();
    else this.owned.push(part);
    return part;
  }

  dispose(): void {
    this.ended = true;
    for (const part of this.owned.splice(0).reverse()) part.dispose();
  }
}
