import { eventually } from './eventually.ts';
import { OpenApiCheck, type GivenAnswer } from './openApiCheck.ts';
import type { StatusBody } from './transferClient.ts';

/** A response of the service; `body` is the parsed JSON, or the text of a file; undefined if there is no body. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** A file in the response to a search. */
export interface FoundFile {
  readonly id: string;
  readonly path: string;
  readonly bytes: number;
  readonly hash?: string;
  readonly modified?: string;
}

interface ServiceAccess {
  readonly address: string;
  readonly token: string;
  readonly sharingToken?: string | undefined;
}

const orcid = '0000-0002-1825-0097';

/** Calls the operations of a service over HTTP and checks each response against the service's OpenAPI document. */
export abstract class ContractRig {
  private checker: OpenApiCheck | undefined;

  /** The running service. Throws if there is none. */
  abstract get service(): ServiceAccess;

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
   * Checks a response against the OpenAPI document and returns it with its body parsed (D26: service HTTP behavior).
   * {@link call} does the same for every response.
   */
  async checked(method: string, path: string, given: GivenAnswer): Promise<Answer> {
    (await this.openApi()).check(method, path, given);
    const isJson = given.headers.get('content-type') !== 'application/octet-stream';
    return {
      status: given.status,
      headers: given.headers,
      body: given.text === '' ? undefined : isJson ? JSON.parse(given.text) : given.text,
    };
  }

  /** Returns a checker for the service's OpenAPI document. Fetches the document on the first call. */
  async openApi(): Promise<OpenApiCheck> {
    if (this.checker === undefined) {
      const response = await fetch(`${this.service.address}/openapi.json`);
      const text = await response.text();
      if (!response.ok) throw new Error(text);
      this.checker = OpenApiCheck.of(text);
    }
    return this.checker;
  }

  /** Returns the files that a search finds. Throws if the search fails. */
  async search(database: string, query = '', more: object = {}): Promise<FoundFile[]> {
    const { status, body } = await this.call('POST', '/api/v1/files', { database, orcid, query, ...more });
    if (status !== 200) throw new Error(JSON.stringify(body));
    return (body as { resources: FoundFile[] }).resources;
  }

  async requestTransfer(request: object): Promise<Answer> {
    return await this.call('POST', '/api/v1/transfers', { orcid, ...request });
  }

  /** Submits a transfer and returns its ID. Throws if the transfer isn't accepted. */
  async mustRequestTransfer(request: object): Promise<string> {
    const { status, body } = await this.requestTransfer(request);
    if (status !== 201) throw new Error(JSON.stringify(body));
    return (body as { id: string }).id;
  }

  async cancel(id: string, by = orcid): Promise<Answer> {
    return await this.call('DELETE', `/api/v1/transfers/${id}?orcid=${by}`);
  }

  /** Pauses or resumes a transfer. */
  async changePause(id: string, change: 'pause' | 'resume', by = orcid): Promise<Answer> {
    return await this.call('POST', `/transfers/${id}/${change}?orcid=${by}`);
  }

  async status(id: string): Promise<StatusBody> {
    return (await this.call('GET', `/api/v1/transfers/${id}`)).body as StatusBody;
  }

  /** Polls until the transfer has one of the given states; resolves to the status. */
  async waitForStatus(id: string, ...states: readonly string[]): Promise<StatusBody> {
    return await eventually(
      async () => {
        const status = await this.status(id);
        return states.includes(status.status) ? status : undefined;
      },
      this.getLimitMs(),
      this.getIntervalMs(),
    );
  }

  /** Returns the interval at which {@link waitForStatus} polls. */
  protected getIntervalMs(): number {
    return 10;
  }

  /** Returns the time after which {@link waitForStatus} rejects. */
  protected getLimitMs(): number {
    return 120_000;
  }
}
