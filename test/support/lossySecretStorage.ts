import type { SecretStorage, SecretStorageChangeEvent } from 'vscode';
import { Emitter } from '../../src/core/util/lifetime.ts';

/** Secret storage that can lose everything, like a browser's storage at the end of a session. */
export class LossySecretStorage implements SecretStorage {
  /** True to discard new secrets instead of storing them. */
  isLeaky = false;
  private readonly secrets = new Map<string, string>();
  private readonly changed = new Emitter<SecretStorageChangeEvent>();
  readonly onDidChange = this.changed.event;

  keys(): Promise<string[]> {
    return Promise.resolve([...this.secrets.keys()]);
  }

  get(name: string): Promise<string | undefined> {
    return Promise.resolve(this.secrets.get(name));
  }

  store(name: string, value: string): Promise<void> {
    if (!this.isLeaky) this.secrets.set(name, value);
    this.changed.fire({ key: name });
    return Promise.resolve();
  }

  delete(name: string): Promise<void> {
    this.secrets.delete(name);
    this.changed.fire({ key: name });
    return Promise.resolve();
  }

  /** Loses all secrets without firing a change event. */
  loseAll(): void {
    this.secrets.clear();
  }
}
