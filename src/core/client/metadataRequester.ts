import type { FoundFile } from '../model/fileEntry.ts';
import { readFiles } from './responseReaders.ts';
import { requestWithName, type DatabaseName } from './databaseName.ts';
import type { HttpRequest } from './exchange.ts';
import { buildPostRequest, encodePart, formatQuery } from './requestBuilders.ts';
import type { MetadataForm } from './serverDialect.ts';
import type { RequestFailure, Result } from './reply.ts';
import type { ClientSession } from './clientSession.ts';

/** A range of the IDs. Sent to the server only if all IDs fit into one batch (D8: metadata by ids). */
export interface Page {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

/** Requests batches of metadata in the form that the server requires (D7: database name or id, D8: metadata by ids). */
export class MetadataRequester {
  /** The form in use. The first responses or `usePost` can change it. */
  form: MetadataForm;
  private isFormSure = false;
  /**
   * True if the IDs cannot be expressed in the other form. In that case, a success does not show which form the server
   * requires.
   */
  private isFormForced = false;
  private readonly session: ClientSession;
  private readonly name: DatabaseName;
  private readonly orcid: string;
  private readonly signal: AbortSignal | undefined;

  constructor(session: ClientSession, name: DatabaseName, orcid: string, signal?: AbortSignal) {
    this.session = session;
    this.name = name;
    this.orcid = orcid;
    this.signal = signal;
    this.form = session.dialects.get(session.service).metadataForm ?? 'get';
  }

  /** Returns the number of leading IDs that fit into one request; at least 1 if there are any IDs. */
  countFitting(ids: readonly string[], page: Page = {}, form = this.form): number {
    const { batchIds, urlBytes } = this.session.channel.limits;
    if (form === 'post') return Math.min(ids.length, batchIds);
    let length = this.session.getAddressLength(this.buildGetPath([], page));
    let count = 0;
    for (const id of ids) {
      length += encodePart(id).length + 1;
      if (length >= urlBytes && count > 0) break;
      count++;
    }
    return count;
  }

  /** Requests one batch. Resolves to `formChanged` if the other form must be used, which needs different batches. */
  async request(ids: readonly string[], page: Page = {}): Promise<Result<readonly FoundFile[]> | 'formChanged'> {
    const result = await this.requestInForm(ids, page, this.form);
    if (result.reason && isFormMissing(result) && !this.isFormSure) {
      this.isFormSure = true;
      this.isFormForced = false;
      this.form = this.form === 'get' ? 'post' : 'get';
      return 'formChanged';
    }
    if (!result.reason || result.reason.status !== undefined) this.isFormSure = true;
    if (!result.reason && !this.isFormForced) this.learnForm();
    return result;
  }

  private learnForm(): void {
    this.session.dialects.learn(this.session.service, { metadataForm: this.form });
  }

  /** Resolves to true if the service responds to a request that does not involve files. */
  async isServiceAnswering(): Promise<boolean> {
    const { reason } = await this.session.listDatabases(this.signal);
    return !reason || reason.status !== undefined;
  }

  /**
   * Switches to the POST form for IDs that the GET form cannot express. Does not store the form in the server's
   * dialect.
   */
  usePost(): void {
    this.isFormForced ||= this.form !== 'post';
    this.form = 'post';
  }

  /** Requests metadata in the POST form, regardless of the form in use. */
  async requestByPost(ids: readonly string[]): Promise<Result<readonly FoundFile[]>> {
    return await this.requestInForm(ids, {}, 'post');
  }

  private async requestInForm(
    ids: readonly string[],
    page: Page,
    form: MetadataForm,
  ): Promise<Result<readonly FoundFile[]>> {
    return await requestWithName(
      this.name,
      async () => {
        const request = form === 'get' ? this.buildGetRequest(ids, page) : this.buildPostRequest(ids, page);
        return await this.session.request(request, (json) => readFiles(json, this.name.name), this.signal);
      },
      (failure) => failure.reason.status === 404 && !(form === 'get' && isFormMissing(failure)),
      this.signal,
    );
  }

  private buildGetRequest(ids: readonly string[], page: Page): HttpRequest {
    return { method: 'GET', path: this.buildGetPath(ids, page), isHalved: true };
  }

  private buildGetPath(ids: readonly string[], { offset, limit }: Page): string {
    const head = formatQuery({ database: this.name.sent, orcid: this.orcid });
    return `files/by-id${head}&ids=${ids.map(encodePart).join(',')}${formatQuery({ offset, limit }).replace('?', '&')}`;
  }

  private buildPostRequest(ids: readonly string[], { offset, limit }: Page): HttpRequest {
    const { name, orcid } = this;
    return buildPostRequest('files/by-id', { database: name.sent, orcid, file_ids: [...ids], offset, limit });
  }
}

/** Returns true if the server lacks this route, or lacks it for this method (D8: metadata by ids). */
export function isFormMissing({ reason, isProblem }: RequestFailure): boolean {
  return reason.status === 405 || (reason.status === 404 && !isProblem);
}
