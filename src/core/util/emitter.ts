import type { Disposable } from './lifetime.ts';

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
