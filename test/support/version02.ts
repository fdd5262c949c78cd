import { chmod, cp, mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';

const machine = hostname().replaceAll(/[^\w.-]/g, '_');

/**
 * The time at which the fixture was captured, in milliseconds since 1970. The times in its files are close to this
 * time.
 */
const capturedAt = Date.parse('2026-11-29T11:15:58Z');
const hourMs = 3_600_000;
/** The modification time of the served files. */
const changedAt = new Date('2026-01-02T03:04:05Z');

/** Addresses that replace placeholders in the fixture; by default, nothing listens there. */
interface Version02Servers {
  /** The address of the server that behaves like the public one. */
  readonly public?: string;
  /** The address of the local service that the command line used. */
  readonly lab?: string;
}

/** A command that version 0.2 ran, and the result. */
export interface Version02Command {
  readonly name: string;
  readonly args: readonly string[];
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A copy of the files that version 0.2 wrote, in a temporary folder. */
export class Version02 {
  readonly home: string;
  private readonly fixture: string;
  /** Whole seconds, because tables omit the milliseconds. */
  private readonly laterMs = Math.floor((Date.now() - capturedAt) / 1000) * 1000;
  private servers: Version02Servers;

  private constructor(home: string, fixture: string, servers: Version02Servers) {
    this.home = home;
    this.fixture = fixture;
    this.servers = servers;
  }

  /** Copies the files from a clone of the repository, as if version 0.2 had just been used. */
  static async install(repository: string, servers: Version02Servers = {}): Promise<Version02> {
    const fixture = join(repository, 'test', 'fixtures', '0.2');
    const copy = new Version02(await mkdtemp(join(tmpdir(), 'version-0.2-')), fixture, servers);
    await cp(fixture, copy.home, { recursive: true });
    await rename(join(copy.storage, 'cli', 'MACHINE'), join(copy.storage, 'cli', machine));
    await rename(join(copy.storage, 'local-service', 'MACHINE'), copy.serviceFolder);
    for (const entry of await readdir(copy.home, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) await copy.prepare(join(entry.parentPath, entry.name));
    await chmod(join(copy.lab, 'token'), 0o600);
    return copy;
  }

  /** The extension's global storage. */
  get storage(): string {
    return join(this.home, 'global-storage');
  }

  /** The data folder of the windows' local service. */
  get serviceFolder(): string {
    return join(this.storage, 'local-service', machine);
  }

  /** The folder of the transfer records. */
  get ledger(): string {
    return join(this.home, 'data-transfer-explorer', 'transfers');
  }

  /** The folder of the workspace's saved searches. */
  get searches(): string {
    return join(this.home, 'workspace-storage', 'searches');
  }

  /** The folder of the command line's work: the configuration of its service, connections, recipe and exports. */
  get lab(): string {
    return join(this.home, 'lab');
  }

  /** Writes the connections of the command line with the addresses of servers that have started since. */
  async connect(servers: Version02Servers): Promise<void> {
    this.servers = servers;
    await writeFile(join(this.lab, 'connections.json'), await this.read('lab/connections.json'));
  }

  /** Returns the commands that version 0.2 ran, with their results. */
  async readCommands(): Promise<ReadonlyMap<string, Version02Command>> {
    const commands = JSON.parse(await this.read('commands.json')) as readonly Version02Command[];
    return new Map(commands.map((command) => [command.name, command]));
  }

  /** Returns the text of a file of the fixture, with values for the placeholders. */
  async read(path: string): Promise<string> {
    return this.fill(await readFile(join(this.fixture, path), 'utf8'));
  }

  /** Returns the name of the file that marks the one saved key. */
  async findMarker(): Promise<string> {
    const [name = ''] = await readdir(join(this.storage, 'saved-keys'));
    return name;
  }

  async remove(): Promise<void> {
    await rm(this.home, { recursive: true, force: true, maxRetries: 5 });
  }

  private async prepare(file: string): Promise<void> {
    if (file.endsWith('.db.gz')) {
      await writeFile(file.replace(/\.gz$/, ''), gunzipSync(await readFile(file)));
      return;
    }
    // The checksum of a lock depends on its times, and a manifest belongs to the transferred files.
    if (/(?:\.lock|[/\\]manifest)\.json$/.test(file)) return;
    const text = this.fill(await readFile(file, 'utf8'));
    await writeFile(file, text);
    if (file.endsWith('.sql')) createDatabase(file.replace(/\.sql$/, '.db'), text);
    if (/[/\\](?:source|archive)[/\\]/.test(file)) await utimes(file, changedAt, changedAt);
  }

  /** Replaces the placeholders in a text, and shifts its times by the time since the capture. */
  private fill(text: string): string {
    const values: Readonly<Record<string, string>> = {
      public: 'http://127.0.0.1:9',
      lab: 'http://127.0.0.1:9',
      service: 'http://127.0.0.1:9',
      ...this.servers,
      home: this.home,
      storage: this.storage,
      machine: hostname(),
    };
    return text
      .replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) =>
        JSON.stringify(values[name] ?? `a-made-up-${name}-that-opens-nothing`).slice(1, -1),
      )
      .replaceAll(/\b1\d{12}\b/g, (time) => String(this.shift(Number(time))))
      .replaceAll(/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z/g, (time) =>
        new Date(this.shift(Date.parse(time)))
          .toISOString()
          .slice(0, time.length - 1)
          .concat('Z'),
      );
  }

  /** Shifts a time unless it has nothing to do with the capture, such as the modification time of a served file. */
  private shift(time: number): number {
    return Math.abs(time - capturedAt) < hourMs ? time + this.laterMs : time;
  }
}

function createDatabase(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}
