import { Agent } from 'undici';

/** The transfer that the server of the benches knows. */
export const statusId = 'f710559a-5d01-417b-91ac-3726503d11a3';

/** The request that the benches search with. */
export const search = { database: 'JGI Data Portal', orcid: '0000-0002-1825-0097', query: 'metagenome' } as const;

const idsInRequest = 500;

/** The same requests as the client's, by undici and `JSON.parse` alone: what the client is measured against. */
export class BareRequests {
  private readonly agent = new Agent();
  private readonly origin: string;

  constructor(origin: string) {
    this.origin = origin;
  }

  /** The search of all files. */
  async search(): Promise<unknown> {
    return await this.ask('POST', '/api/v1/files', JSON.stringify(search));
  }

  /** The status of the one transfer. */
  async status(): Promise<unknown> {
    return await this.ask('GET', `/api/v1/transfers/${statusId}`);
  }

  /** The metadata of files by their ids, in requests of 500. */
  async describe(ids: readonly string[]): Promise<readonly unknown[]> {
    const files: unknown[] = [];
    for (let start = 0; start < ids.length; start += idsInRequest) {
      const { database, orcid } = search;
      const request = { database, orcid, file_ids: ids.slice(start, start + idsInRequest) };
      const answer = await this.ask('POST', '/api/v1/files/by-id', JSON.stringify(request));
      files.push(...(answer as { readonly resources: readonly unknown[] }).resources);
    }
    return files;
  }

  /** Closes its connections. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async ask(method: 'GET' | 'POST', path: string, body?: string): Promise<unknown> {
    const headers = { authorization: 'Bearer a2V5', 'content-type': 'application/json' };
    const response = await this.agent.request({ origin: this.origin, path, method, headers, body: body ?? null });
    return JSON.parse(await response.body.text()) as unknown;
  }
}
