import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import { Pool } from 'undici';
import { builtProgram, startLocalService, type StartedService } from '../../test/support/localService.ts';
import type { StatusBody } from '../../test/support/transferClient.ts';

const orcid = '0000-0002-1825-0097';

/** A local service with a source and a destination folder, in a separate process, called over HTTP. */
export class MovingService {
  private readonly service: StartedService;
  private readonly pool: Pool;

  private constructor(service: StartedService, clients: number) {
    this.service = service;
    this.pool = new Pool(service.address, { connections: clients });
  }

  /**
   * Starts a service. Resolves when it has read both folders. `clients` is the maximum number of connections; `more` is
   * added to the configuration.
   */
  static async start(source: string, destination: string, clients = 4, more: object = {}): Promise<MovingService> {
    const databases = [
      { name: 'Source', folder: source },
      { name: 'Destination', folder: destination },
    ];
    const dataFolder = await fs.mkdtemp(`${destination} data `);
    const service = new MovingService(
      await startLocalService({ databases, dataFolder, ...more }, { program: builtProgram }),
      clients,
    );
    for (const { name } of databases) await service.ids(name, 1);
    return service;
  }

  get pid(): number {
    return this.service.pid;
  }

  /** Opens the connections, which stay open, with `count` concurrent requests. */
  async connect(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, async () => await this.call('GET', '/')));
  }

  /** Resolves to the IDs of up to `limit` files of a database, sorted by path. */
  async ids(database: string, limit: number): Promise<string[]> {
    const found = await this.call('POST', '/api/v1/files', { database, orcid, query: '', limit });
    return (found as { resources: { id: string }[] }).resources.map(({ id }) => id);
  }

  async submit(fileIds: readonly string[]): Promise<string> {
    const body = { source: 'Source', destination: 'Destination', orcid, file_ids: fileIds };
    return ((await this.call('POST', '/api/v1/transfers', body)) as { id: string }).id;
  }

  async status(id: string): Promise<StatusBody> {
    return (await this.call('GET', `/api/v1/transfers/${id}`)) as StatusBody;
  }

  /**
   * Polls, by default every 20 ms, which takes little of the service's time, until the transfer has succeeded with all
   * its files. Rejects if it failed. Calls `whenStaged` when copying has started, at the latest at the end.
   */
  async succeeds(id: string, whenStaged: () => void, intervalMs = 20): Promise<void> {
    for (let isStaged = false; ;) {
      const { status, message, num_files, num_files_transferred } = await this.status(id);
      if (!isStaged && status !== 'staging') {
        isStaged = true;
        whenStaged();
      }
      assert.notEqual(status, 'failed', message);
      if (status === 'succeeded') {
        assert.equal(num_files_transferred, num_files);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, intervalMs));
    }
  }

  async stop(): Promise<void> {
    await this.pool.destroy();
    await this.service.stop();
  }

  private async call(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> {
    const headers = { authorization: `Bearer ${this.service.token}`, 'content-type': 'application/json' };
    const answer = await this.pool.request({ path, method, headers, body: body ? JSON.stringify(body) : null });
    const text = await answer.body.text();
    assert.ok(answer.statusCode < 300, text);
    return JSON.parse(text);
  }
}

/** Removes the content of a folder, but not the folder. */
export async function empty(folder: string): Promise<void> {
  for (const name of await fs.readdir(folder)) await fs.rm(`${folder}/${name}`, { recursive: true });
}
