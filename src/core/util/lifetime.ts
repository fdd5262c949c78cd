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

/**
 * Subscribes a listener. Disposing of the returned object unsubscribes the listener. Compatible with VS Code's `Event`.
 */
type Event<T> = (listener: (value: T) => void) => Disposable;

/** Calls its listeners in the order in which they subscribed. A listener may unsubscribe while it is being called. */
export class Emitter<T> implements Disposable {
  private readonly listeners = new Set<{ call: (value: T) => void }>();

  readonly event: Event<T> = (listener) => {
    const entry = { call: listener };
    this.listeners.add(entry);
    return { dispose: () => this.listeners.delete(entry) };
  };

  fire(value: T): void {
    for (const listener of [...this.listeners]) listener.call(value);
  }

  dispose(): void {
    this.listeners.clear();
  }
}
