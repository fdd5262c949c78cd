import { Agent } from 'undici';

/** The ID of the transfer on the benchmark server. */
export const statusId = 'f710559a-5d01-417b-91ac-3726503d11a3';

/** The search request of the benchmarks. */
export const search = { database: 'JGI Data Portal', orcid: '0000-0002-1825-0097', query: 'metagenome' } as const;

const idsInRequest = 500;

/** Sends the client's requests with only undici and `JSON.parse`, as the reference for the client. */
export class BareRequests {
  private readonly agent = new Agent();
  private readonly origin: string;

  constructor(origin: string) {
    this.origin = origin;
  }

  /** Sends the search request. */
  async search(): Promise<unknown> {
    return await this.ask('POST', '/api/v1/files', JSON.stringify(search));
  }

  /** Requests the status of the transfer. */
  async status(): Promise<unknown> {
    return await this.ask('GET', `/api/v1/transfers/${statusId}`);
  }

  /** Requests the metadata of files by their IDs, 500 per request. */
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

  /** Closes the connections. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async ask(method: 'GET' | 'POST', path: string, body?: string): Promise<unknown> {
    const headers = { authorization: 'Bearer a2V5', 'content-type': 'application/json' };
    const response = await this.agent.request({ origin: this.origin, path, method, headers, body: body ?? null });
    return JSON.parse(await response.body.text()) as unknown;
  }
}
