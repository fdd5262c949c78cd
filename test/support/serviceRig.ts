import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import type { Logger } from '../../src/core/util/logger.ts';
import { startService, type RunningService } from '../../src/service/startService.ts';
import { parseConfig } from '../../src/service/config.ts';
import { eventually } from './eventually.ts';
import { HeldLease, type LeasedFolder, type LeasedStore } from './heldLease.ts';
import { OpenApiCheck, type GivenAnswer, type OpenApi } from './openApiCheck.ts';
import type { StatusBody } from './transferClient.ts';

/** A response of the service; `body` is the parsed JSON, or undefined if it is empty. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

interface RigOptions extends Partial<Omit<Parameters<typeof startService>[1], 'logger'>> {
  readonly retentionDays?: number;
  readonly throttleBytesPerSecond?: number;
  readonly trustedHosts?: readonly string[];
  /** Name of a database to omit from the configuration. */
  readonly without?: string;
  /** Name of a database to configure as read-only. */
  readonly readOnly?: string;
  /**
   * Configures no databases; the service is published and stopped like the shared service of all windows (D29: shared
   * service).
   */
  readonly shared?: boolean;
  /** Configures both folders even if the service is shared. */
  readonly configured?: boolean;
  /** Called between the end of the service and its next start. */
  readonly whileStopped?: () => void;
}

const orcid = '0000-0002-1825-0097';

/** Runs a service in this process over two new folders, `source` and `target`, named `Source Data` and `Target`. */
export class ServiceRig {
  readonly root: string;
  readonly logged: string[] = [];
  private checker: OpenApiCheck | undefined;
  private running: RunningService | undefined;

  private constructor(root: string) {
    this.root = root;
  }

  /** Creates the folders, writes the files (path to content) to the source, and starts the service. */
  static async start(files: Readonly<Record<string, string>>, options: RigOptions = {}): Promise<ServiceRig> {
    const rig = new ServiceRig(await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-rig-')));
    await fs.mkdir(rig.target, { recursive: true });
    await rig.write(files);
    await rig.restart(options);
    return rig;
  }

  get source(): string {
    return nodePath.join(this.root, 'source');
  }

  get target(): string {
    return nodePath.join(this.root, 'target');
  }

  /** Both folders, in the form of a lease request. */
  get folders(): readonly LeasedFolder[] {
    return [
      { name: 'Source Data', folder: this.source, organization: 'Lab' },
      { name: 'Target', folder: this.target },
    ];
  }

  get service(): RunningService {
    if (this.running === undefined) throw new Error('The service does not run.');
    return this.running;
  }

  async write(files: Readonly<Record<string, string>>): Promise<void> {
    await fs.mkdir(this.source, { recursive: true });
    for (const [path, content] of Object.entries(files)) {
      const file = nodePath.join(this.source, path);
      await fs.mkdir(nodePath.dirname(file), { recursive: true });
      await fs.writeFile(file, content);
    }
  }

  async restart(options: RigOptions = {}): Promise<void> {
    await this.running?.close();
    const {
      retentionDays,
      throttleBytesPerSecond,
      trustedHosts,
      without,
      readOnly,
      shared,
      configured = shared !== true,
      whileStopped,
      ...rest
    } = options;
    whileStopped?.();
    const served = this.folders.map((folder) => (folder.name === readOnly ? { ...folder, readOnly: true } : folder));
    const databases = configured ? served.filter(({ name }) => name !== without) : [];
    const config = { dataFolder: 'data', databases, retentionDays, throttleBytesPerSecond, trustedHosts, shared };
    const note = (message: string): void => void this.logged.push(message);
    const logger: Logger = { trace: note, debug: note, info: note, warn: note, error: note };
    this.running = await startService(parseConfig(JSON.stringify(config), this.root), { ...rest, logger });
  }

  async stop(): Promise<void> {
    await this.running?.close();
    await fs.rm(this.root, { recursive: true, force: true });
  }

  /** Returns the token for an operation: leases and stop requests require the sharing token (D41: two secrets). */
  tokenFor(method: string, path: string): string {
    const { token, sharingToken = token } = this.service;
    return /^(?:POST \/leases|DELETE \/service)\b/.test(`${method} ${path}`) ? sharingToken : token;
  }

  /**
   * Sends a request with the token and a JSON body; `init` overrides both. Throws if the OpenAPI document does not
   * describe the response.
   */
  async call(method: string, path: string, body?: unknown, init: RequestInit = {}): Promise<Answer> {
    const headers = new Headers({
      authorization: `Bearer ${Buffer.from(this.tokenFor(method, path)).toString('base64')}`,
      'content-type': 'application/json',
    });
    new Headers(init.headers).forEach((value, name) => headers.set(name, value));
    const response = await fetch(this.service.address + path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...init,
      headers,
    });
    const { status } = response;
    const given = { status, headers: response.headers, text: await response.text() };
    return await this.checked(method, path, given);
  }

  /**
   * Checks a response against the OpenAPI document (D26: service HTTP behavior), as {@link call} does for every
   * response.
   */
  async checked(method: string, path: string, given: GivenAnswer): Promise<Answer> {
    (await this.openApi()).check(method, path, given);
    return {
      status: given.status,
      headers: given.headers,
      body: given.text === '' ? undefined : JSON.parse(given.text),
    };
  }

  /** Returns a checker for the service's OpenAPI document. */
  async openApi(): Promise<OpenApiCheck> {
    if (this.checker === undefined) {
      const response = await fetch(`${this.service.address}/openapi.json`);
      const text = await response.text();
      if (!response.ok) throw new Error(text);
      this.checker = new OpenApiCheck(JSON.parse(text) as OpenApi);
    }
    return this.checker;
  }

  /** Returns the paths that a search of the source finds, in order. */
  async find(query: string, more: object = {}): Promise<string[]> {
    const body = { database: 'Source Data', orcid, query, ...more };
    const answer = await this.call('POST', '/api/v1/files', body);
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return (answer.body as { resources: { path: string }[] }).resources.map((resource) => resource.path);
  }

  /** Waits until a search of the source finds this number of files, after files were added or removed. */
  async reachesFiles(query: string, count: number): Promise<void> {
    await eventually(async () => ((await this.find(query)).length === count ? true : undefined));
  }

  async submit(fileIds: readonly string[], more: object = {}): Promise<Answer> {
    const body = { orcid, source: 'Source Data', destination: 'Target', file_ids: fileIds, ...more };
    return await this.call('POST', '/api/v1/transfers', body);
  }

  /** Submits a transfer that must be accepted, and returns its id. */
  async mustSubmit(fileIds: readonly string[], more: object = {}): Promise<string> {
    const answer = await this.submit(fileIds, more);
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    return (answer.body as { id: string }).id;
  }

  async status(id: string): Promise<StatusBody> {
    return (await this.call('GET', `/api/v1/transfers/${id}`)).body as StatusBody;
  }

  /** Polls until the transfer has one of these states. */
  async reaches(id: string, ...states: readonly string[]): Promise<StatusBody> {
    return await eventually(async () => {
      const status = await this.status(id);
      return states.includes(status.status) ? status : undefined;
    });
  }

  /** Opens a lease on these folders; see {@link HeldLease}. */
  async lease(databases: readonly (LeasedFolder | LeasedStore)[] = this.folders): Promise<HeldLease> {
    return await HeldLease.begin(this.service, databases);
  }

  /** Returns the names of all databases that are currently served. */
  async names(): Promise<string[]> {
    const { body } = await this.call('GET', '/api/v1/databases');
    return (body as { name: string }[]).map(({ name }) => name);
  }

  async cancel(id: string, by = orcid): Promise<Answer> {
    return await this.call('DELETE', `/api/v1/transfers/${id}?orcid=${by}`);
  }

  /** Returns the relative paths of all files below the target, sorted. */
  async landedFiles(): Promise<string[]> {
    const entries = await fs.readdir(this.target, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return files.map((file) => nodePath.relative(this.target, nodePath.join(file.parentPath, file.name))).sort();
  }
}
