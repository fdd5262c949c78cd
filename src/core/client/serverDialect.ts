import type { ServiceInfo } from '../model/connection.ts';
import { Emitter } from '../util/emitter.ts';
import { isJsonObject } from '../util/json.ts';

/** How metadata are asked for (D8). */
export type MetadataForm = 'get' | 'post';

/** What a server was found to need beyond the specification; absent is not learned yet. */
export interface ServerDialect {
  /** Databases are called by their `id`, not their `name` (D7). */
  readonly idsWanted?: boolean;
  readonly metadataForm?: MetadataForm;
}

interface Entry extends ServerDialect {
  readonly version: string;
}

/**
 * What was learned of each server, by address and root version; a new version starts afresh (D7, D8).
 * `toJSON` gives what the constructor takes, so that it can be kept.
 */
export class ServerDialects {
  private readonly entries = new Map<string, Entry>();
  private readonly changed = new Emitter<undefined>();

  /** Something was learned; now is the time to keep it. */
  readonly onDidLearn = this.changed.event;

  /** Takes what `toJSON` gave, or anything: what is not of that form is passed over. */
  constructor(kept?: unknown) {
    if (!isJsonObject(kept)) return;
    for (const [address, value] of Object.entries(kept)) {
      const entry = readEntry(value);
      if (entry) this.entries.set(address, entry);
    }
  }

  get(service: ServiceInfo): ServerDialect {
    const entry = this.entries.get(service.address);
    if (entry?.version !== service.version) return {};
    const { version: _same, ...dialect } = entry;
    return dialect;
  }

  learn(service: ServiceInfo, learned: ServerDialect): void {
    const known = this.get(service);
    const merged = { ...known, ...learned, version: service.version };
    if (merged.idsWanted === known.idsWanted && merged.metadataForm === known.metadataForm) return;
    this.entries.set(service.address, merged);
    this.changed.fire(undefined);
  }

  toJSON(): Record<string, Entry> {
    return Object.fromEntries(this.entries);
  }
}

function readEntry(value: unknown): Entry | undefined {
  if (!isJsonObject(value) || typeof value['version'] !== 'string') return undefined;
  const form = value['metadataForm'];
  return {
    version: value['version'],
    ...(value['idsWanted'] === true && { idsWanted: true }),
    ...((form === 'get' || form === 'post') && { metadataForm: form }),
  };
}
