import type { Disposable } from './lifetime.ts';

/** Subscribes a listener; the returned disposable ends the subscription. Fits the editor's `Event`. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/** Tells its listeners, in the order they came. A listener that ends itself while being told does no harm. */
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
