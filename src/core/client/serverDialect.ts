import type { ServiceInfo } from '../model/connection.ts';
import { Emitter } from '../util/emitter.ts';
import { isJsonObject } from '../util/json.ts';

/** How metadata are asked for (D8). */
export type MetadataForm = 'get' | 'post';

/** What a server was found to need beyond the specification; absent is not learned yet. */
interface ServerDialect {
  /** True where databases are called by their `id` and not by their `name` (D7). */
  readonly idsWanted?: boolean;
  readonly metadataForm?: MetadataForm;
}

interface Entry {
  readonly version: string;
  readonly dialect: ServerDialect;
}

/** Servers that are remembered: the local service has a new address at every start. */
const mostKept = 50;

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
    return { ...entry.dialect };
  }

  learn(service: ServiceInfo, learned: ServerDialect): void {
    const known = this.get(service);
    const dialect = { ...known, ...learned };
    if (dialect.idsWanted === known.idsWanted && dialect.metadataForm === known.metadataForm) return;
    this.entries.delete(service.address);
    this.entries.set(service.address, { version: service.version, dialect });
    for (const oldest of [...this.entries.keys()].slice(0, -mostKept)) this.entries.delete(oldest);
    this.changed.fire(undefined);
  }

  toJSON(): Record<string, Entry> {
    return Object.fromEntries(this.entries);
  }
}

function readEntry(value: unknown): Entry | undefined {
  if (!isJsonObject(value) || typeof value['version'] !== 'string' || !isJsonObject(value['dialect'])) return undefined;
  const { idsWanted, metadataForm } = value['dialect'];
  const dialect: ServerDialect = {
    ...(typeof idsWanted === 'boolean' && { idsWanted }),
    ...((metadataForm === 'get' || metadataForm === 'post') && { metadataForm }),
  };
  return { version: value['version'], dialect };
}
