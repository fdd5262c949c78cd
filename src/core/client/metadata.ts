import type { MetadataRequest } from '../../contract/metadata.ts';
import type { FoundFile } from '../model/fileEntry.ts';
import { readFiles } from './answers.ts';
import { askWithName } from './databaseName.ts';
import type { DatabaseName } from './databaseName.ts';
import type { HttpRequest } from './exchange.ts';
import type { Failed, Read } from './http.ts';
import { encodePart, queryOf } from './query.ts';
import type { MetadataForm } from './serverDialect.ts';
import type { Session } from './session.ts';

/** A checked metadata request. */
interface MetadataQuery {
  readonly database: string;
  readonly orcid: string;
}

/** What of the ids is wanted; given as it is only while one batch holds them all (D8). */
export interface Page {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

/** Asks for the metadata of one batch of ids, in the form and with the name that the server was found to want (D7, D8). */
export class MetadataAsker {
  /** The form in use; found out by the first answers. */
  form: MetadataForm;
  private isFormSure: boolean;
  /** The form is used for ids that cannot be said in the other, which tells nothing of what the server wants. */
  private isFormForced = false;
  private readonly session: Session;
  private readonly query: MetadataQuery;
  private readonly name: DatabaseName;
  private readonly signal: AbortSignal | undefined;

  constructor(session: Session, query: MetadataQuery, name: DatabaseName, signal?: AbortSignal) {
    this.session = session;
    this.query = query;
    this.name = name;
    this.signal = signal;
    const learned = session.dialects.get(session.service).metadataForm;
    this.form = learned ?? 'get';
    this.isFormSure = false;
  }

  /** How many of `ids`, from the first on, one request can hold; at least one. */
  fitting(ids: readonly string[], page: Page = {}, form = this.form): number {
    const { batchIds, urlBytes } = this.session.channel.limits;
    if (form === 'post') return Math.min(ids.length, batchIds);
    let length = this.session.addressLength(this.getPath([], page));
    let count = 0;
    for (const id of ids) {
      length += encodePart(id).length + 1;
      if (length >= urlBytes && count > 0) break;
      count++;
    }
    return count;
  }

  /** Asks for one batch. `formChanged`: nothing was told, the other form is to be used, so batches are to be cut anew. */
  async ask(ids: readonly string[], page: Page = {}): Promise<Read<readonly FoundFile[]> | Failed | 'formChanged'> {
    const outcome = await this.askInForm(ids, page, this.form);
    if (outcome.kind === 'failed' && isFormMissing(outcome) && !this.isFormSure) {
      this.isFormSure = true;
      this.isFormForced = false;
      this.form = this.form === 'get' ? 'post' : 'get';
      return 'formChanged';
    }
    if (outcome.kind === 'read' || outcome.reason.status !== undefined) this.isFormSure = true;
    if (outcome.kind === 'read' && !this.isFormForced) this.learnForm();
    return outcome;
  }

  private learnForm(): void {
    this.session.dialects.learn(this.session.service, { metadataForm: this.form });
  }

  /** Returns true when the service answers a request that has nothing to do with files. */
  async isServiceAnswering(): Promise<boolean> {
    const outcome = await this.session.list(this.signal);
    return outcome.kind === 'read' || outcome.reason.status !== undefined;
  }

  /** Goes on in the POST form for ids that cannot be said in the other; that is not remembered for the server. */
  usePost(): void {
    this.isFormForced ||= this.form !== 'post';
    this.form = 'post';
  }

  /** Asks in the POST form whatever the form in use is, for ids that cannot be said in the other. */
  async askByPost(ids: readonly string[]): Promise<Read<readonly FoundFile[]> | Failed> {
    return await this.askInForm(ids, {}, 'post');
  }

  private async askInForm(
    ids: readonly string[],
    page: Page,
    form: MetadataForm,
  ): Promise<Read<readonly FoundFile[]> | Failed> {
    return await askWithName(
      this.name,
      async () => {
        const request = form === 'get' ? this.getRequest(ids, page) : this.postRequest(ids, page);
        return await this.session.ask(request, (json) => readFiles(json, this.query.database), this.signal);
      },
      (outcome) =>
        outcome.kind === 'failed' && outcome.reason.status === 404 && !(form === 'get' && isFormMissing(outcome)),
      this.signal,
    );
  }

  private getRequest(ids: readonly string[], page: Page): HttpRequest {
    return { method: 'GET', path: this.getPath(ids, page), isHalved: true };
  }

  private getPath(ids: readonly string[], { offset, limit }: Page): string {
    const head = queryOf({ database: this.name.sent, orcid: this.query.orcid });
    return `files/by-id${head}&ids=${ids.map(encodePart).join(',')}${queryOf({ offset, limit }).replace('?', '&')}`;
  }

  private postRequest(ids: readonly string[], { offset, limit }: Page): HttpRequest {
    const body: MetadataRequest = {
      database: this.name.sent,
      orcid: this.query.orcid,
      file_ids: [...ids],
      ...(offset !== undefined && { offset }),
      ...(limit !== undefined && { limit }),
    };
    return { method: 'POST', path: 'files/by-id', body: JSON.stringify(body) };
  }
}

/** Whether a server answered as one that has no such route, or not by this method (D8). */
export function isFormMissing({ reason, isProblem }: Failed): boolean {
  return reason.status === 405 || (reason.status === 404 && !isProblem);
}
