import { eventually } from './eventually.ts';

/** The fields of a status response that tests check. */
export interface StatusBody {
  readonly id: string;
  readonly status: string;
  readonly message: string;
  readonly num_files: number;
  readonly num_files_transferred: number;
  /** Absent if the transfer has ended. */
  readonly paused?: boolean;
  readonly num_bytes_transferred?: number;
  readonly cluster?: unknown;
}

const orcid = '0000-0002-1825-0097';

/** Submits and polls transfers from `Source` to `Target` on a service in another process. */
export class TransferClient {
  private readonly address: string;
  private readonly token: string;

  constructor({ address, token }: { readonly address: string; readonly token: string }) {
    this.address = address;
    this.token = token;
  }

  /**
   * Submits a transfer; resolves to its ID once the service has acknowledged it. Rejects if the service refuses the
   * transfer or dies in the meantime.
   */
  async submit(fileIds: readonly string[], instructions?: object): Promise<string> {
    const about = { description: 'As it is', instructions };
    const body = { source: 'Source', destination: 'Target', orcid, file_ids: fileIds, ...about };
    return ((await this.call('POST', '/api/v1/transfers', body)) as { id: string }).id;
  }

  async status(id: string): Promise<StatusBody> {
    return (await this.call('GET', `/api/v1/transfers/${id}`)) as StatusBody;
  }

  /** Requests the cancellation of a transfer; rejects if the service refuses it. */
  async cancel(id: string): Promise<void> {
    await this.call('DELETE', `/api/v1/transfers/${id}?orcid=${orcid}`);
  }

  /** Pauses or resumes a transfer; rejects if the service refuses it. */
  async changePause(id: string, change: 'pause' | 'resume'): Promise<StatusBody> {
    return (await this.call('POST', `/transfers/${id}/${change}?orcid=${orcid}`)) as StatusBody;
  }

  /** Polls until the transfer has one of the given states; resolves to the status. Rejects after two minutes. */
  async waitForStatus(id: string, ...states: readonly string[]): Promise<StatusBody> {
    return await eventually(async () => {
      const status = await this.status(id);
      return states.includes(status.status) ? status : undefined;
    });
  }

  private async call(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(this.address + path, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json', connection: 'close' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }
}
