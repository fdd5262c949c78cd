import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { Emitter } from '../core/util/emitter.ts';
import { isInside } from './catalog/fileSight.ts';
import type { DatabaseRegistry, Serving } from './databases/databaseRegistry.ts';
import { wrongFields } from './http/httpProblem.ts';
import { fieldProblemAt, type FieldProblem } from './http/issues.ts';
import type { ApiAnswer, LineStream } from './http/router.ts';
import type { LeaseLine, LeaseRequest } from './wire/sharing.ts';

const controlCharacter = /\p{Cc}/u;

/**
 * The leases on this service: each is a connection that is held, and lasts exactly as long, so that a window that dies
 * lets go at once (D29). As long as a lease lasts, its folders are served.
 */
export class Leases {
  private readonly registry: DatabaseRegistry;
  private readonly dataFolder: string;
  private readonly held = new Set<LineStream>();
  private readonly changed = new Emitter<void>();

  /** Fires when a lease has begun or ended. */
  readonly onDidChange = this.changed.event;

  constructor(registry: DatabaseRegistry, dataFolder: string) {
    this.registry = registry;
    this.dataFolder = dataFolder;
    registry.onDidChange(() => this.tell({ event: 'databases' }));
  }

  /** How many are held. */
  get count(): number {
    return this.held.size;
  }

  /** Begins a lease; the answer stays open as long as it lasts. Throws 422 that names each wrong folder. */
  async begin({ databases }: LeaseRequest): Promise<ApiAnswer> {
    const errors = await Promise.all(databases.map(async (database, place) => await this.trouble(database, place)));
    const wrong = errors.flatMap((error) => error ?? []);
    if (wrong.length > 0) throw wrongFields(wrong);
    const serving = await this.registry.serve(databases.map(withoutUndefined));
    return { status: 200, lines: (lines) => this.hold(lines, serving) };
  }

  /** Ends all leases, with a last line that says why. */
  end(event: 'stopped' | 'replaced'): void {
    this.tell({ event });
    for (const lines of this.held) lines.end();
  }

  private hold(lines: LineStream, serving: Serving): void {
    this.held.add(lines);
    lines.write({ databases: serving.databases.map(({ document }) => document) } satisfies LeaseLine);
    this.changed.fire();
    lines.onEnd(() => {
      this.held.delete(lines);
      serving.dispose();
      this.changed.fire();
    });
  }

  private tell(line: LeaseLine): void {
    for (const lines of this.held) lines.write(line);
  }

  private async trouble(
    { name, folder }: LeaseRequest['databases'][number],
    place: number,
  ): Promise<FieldProblem | undefined> {
    const at = (field: string, message: string): FieldProblem =>
      fieldProblemAt('body', ['databases', place, field], message);
    if (name.trim() === '' || controlCharacter.test(name)) return at('name', 'must be a name that can be read');
    if (folder.includes('\0') || !nodePath.isAbsolute(folder)) return at('folder', 'must be an absolute path');
    const [ours, theirs] = await Promise.all([placeOf(this.dataFolder), placeOf(folder)]);
    // What the service writes there would be served, and every write would look like a change of the database.
    if (isInside(theirs, ours)) return at('folder', 'must not hold the data folder of the service');
    if (isInside(ours, theirs)) return at('folder', 'must not be inside the data folder of the service');
    return undefined;
  }
}

/** Where a path leads; a path to nowhere stands for itself. */
async function placeOf(path: string): Promise<string> {
  return await fs.realpath(path).catch(() => nodePath.resolve(path));
}

function withoutUndefined({ name, folder, organization, readOnly }: LeaseRequest['databases'][number]): {
  name: string;
  folder: string;
  organization?: string;
  readOnly?: boolean;
} {
  const more = { ...(organization !== undefined && { organization }), ...(readOnly !== undefined && { readOnly }) };
  return { name, folder: nodePath.resolve(folder), ...more };
}
