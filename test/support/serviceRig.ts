import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import type { Logger } from '../../src/core/util/logger.ts';
import { startService, type RunningService, type ServiceOptions } from '../../src/service/localService.ts';
import { parseConfig } from '../../src/service/config.ts';
import { eventually } from './eventually.ts';
import { HeldLease, type LeasedFolder } from './heldLease.ts';
import { OpenApiCheck, type GivenAnswer, type OpenApi } from './openApiCheck.ts';
import type { StatusBody } from './transferClient.ts';

/** An answer of the service; `body` is parsed when it is JSON, else absent. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

interface RigOptions extends Partial<Omit<ServiceOptions, 'logger'>> {
  readonly retentionDays?: number;
  readonly throttleBytesPerSecond?: number;
  readonly trustedHosts?: readonly string[];
  /** The name of a database that is left out of the configuration. */
  readonly without?: string;
  /** The name of a database that is read-only by configuration. */
  readonly readOnly?: string;
  /** Serves nothing by configuration, and is found and ended as the service of all windows is (D29). */
  readonly shared?: boolean;
  /** Serves both folders by configuration, also where it is shared. */
  readonly configured?: boolean;
  /** Done between the end of the service and its next start. */
  readonly whileStopped?: () => void;
}

const orcid = '0000-0002-1825-0097';

/** A service in this process over two fresh folders, `source` and `target`, named `Source Data` and `Target`. */
export class ServiceRig {
  readonly root: string;
  readonly logged: string[] = [];
  private checker: OpenApiCheck | undefined;
  private running: RunningService | undefined;

  private constructor(root: string) {
    this.root = root;
  }

  /** Makes the folders, writes the files (path to content) into the source, and starts. */
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

  /** Both folders, as a lease asks for them. */
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

  /** The secret that an operation wants: leases and stop have one of their own (D41). */
  tokenFor(method: string, path: string): string {
    const { token, sharingToken = token } = this.service;
    return /^(?:POST \/leases|DELETE \/service)\b/.test(`${method} ${path}`) ? sharingToken : token;
  }

  /** One request with the token and JSON; `init` goes before. Throws when the OpenAPI document does not describe the answer. */
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

  /** Holds an answer against the OpenAPI document (D26); every answer to {@link call} is. */
  async checked(method: string, path: string, given: GivenAnswer): Promise<Answer> {
    (await this.openApi()).check(method, path, given);
    return {
      status: given.status,
      headers: given.headers,
      body: given.text === '' ? undefined : JSON.parse(given.text),
    };
  }

  /** The OpenAPI document of the service, and what checks answers against it. */
  async openApi(): Promise<OpenApiCheck> {
    if (this.checker === undefined) {
      const response = await fetch(`${this.service.address}/openapi.json`);
      this.checker = new OpenApiCheck((await response.json()) as OpenApi);
    }
    return this.checker;
  }

  /** The paths that a search of the source finds, in order. */
  async find(query: string, more: object = {}): Promise<string[]> {
    const body = { database: 'Source Data', orcid, query, ...more };
    const answer = await this.call('POST', '/api/v1/files', body);
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return (answer.body as { resources: { path: string }[] }).resources.map((resource) => resource.path);
  }

  async submit(fileIds: readonly string[], more: object = {}): Promise<Answer> {
    const body = { orcid, source: 'Source Data', destination: 'Target', file_ids: fileIds, ...more };
    return await this.call('POST', '/api/v1/transfers', body);
  }

  /** Submits a transfer that has to be accepted, and returns its id. */
  async mustSubmit(fileIds: readonly string[], more: object = {}): Promise<string> {
    const answer = await this.submit(fileIds, more);
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    return (answer.body as { id: string }).id;
  }

  async status(id: string): Promise<StatusBody> {
    return (await this.call('GET', `/api/v1/transfers/${id}`)).body as StatusBody;
  }

  /** Asks until the transfer is in this state. */
  async reaches(id: string, ...states: readonly string[]): Promise<StatusBody> {
    return await eventually(async () => {
      const status = await this.status(id);
      return states.includes(status.status) ? status : undefined;
    });
  }

  /** Holds a lease on these folders; see {@link HeldLease}. */
  async lease(databases: readonly LeasedFolder[] = this.folders): Promise<HeldLease> {
    return await HeldLease.begin(this.service, databases);
  }

  /** The names of all databases that are served now. */
  async names(): Promise<string[]> {
    const { body } = await this.call('GET', '/api/v1/databases');
    return (body as { name: string }[]).map(({ name }) => name);
  }

  async cancel(id: string, by = orcid): Promise<Answer> {
    return await this.call('DELETE', `/api/v1/transfers/${id}?orcid=${by}`);
  }

  /** All files under the target, relative and sorted. */
  async landedFiles(): Promise<string[]> {
    const entries = await fs.readdir(this.target, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return files.map((file) => nodePath.relative(this.target, nodePath.join(file.parentPath, file.name))).sort();
  }
}
