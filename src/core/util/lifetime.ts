/** A resource to dispose of. Compatible with VS Code's `Disposable`. */
export interface Disposable {
  dispose(): unknown;
}

/** Owns the disposables that a class creates, and disposes of them in reverse order. */
export class Lifetime implements Disposable {
  private readonly owned: Disposable[] = [];
  private isDisposed = false;

  /**
   * Takes ownership of a disposable and returns it. If the lifetime has ended, disposes of the disposable immediately.
   */
  track<T extends Disposable>(disposable: T): T {
    if (this.isDisposed) disposable.dispose();
    else this.owned.push(disposable);
    return disposable;
  }

  dispose(): void {
    this.isDisposed = true;
    for (const disposable of this.owned.splice(0).reverse()) disposable.dispose();
  }
}
