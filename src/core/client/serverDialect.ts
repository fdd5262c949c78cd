import type { ServiceInfo } from '../model/connection.ts';
import { Emitter } from '../util/lifetime.ts';
import { isJsonObject } from '../util/json.ts';

/** The HTTP method for metadata requests (D8: metadata by ids). */
export type MetadataForm = 'get' | 'post';

/** Describes a server's deviations from the specification. Absent fields are not known yet. */
interface ServerDialect {
  /** True if requests must refer to databases by `id` instead of `name` (D7: database name or id). */
  readonly idsWanted?: boolean;
  readonly metadataForm?: MetadataForm;
}

interface Entry {
  readonly version: string;
  readonly dialect: ServerDialect;
}

/** Maximum number of entries. Each start of the local service, with a new address, can add one. */
const maxServers = 50;

/**
 * Stores the learned dialect of each server by address (D7: database name or id, D8: metadata by ids). Ignores an entry
 * if the server's version has changed since the entry was stored. The constructor accepts the result of `toJSON`.
 */
export class ServerDialects {
  private readonly entries = new Map<string, Entry>();
  private readonly changed = new Emitter<undefined>();

  readonly onDidLearn = this.changed.event;

  constructor(saved?: unknown) {
    if (!isJsonObject(saved)) return;
    for (const [address, value] of Object.entries(saved)) {
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
    for (const oldest of [...this.entries.keys()].slice(0, -maxServers)) this.entries.delete(oldest);
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
