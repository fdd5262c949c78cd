import type { StoreListing } from '../model/databaseModel.ts';
import type { FoundFile } from '../model/fileEntry.ts';
import type { Reason } from '../model/reason.ts';
import { requestWithName, type DatabaseName } from './clientSession.ts';
import type { RefusedId, RequestFailure, Result } from './reply.ts';
import { buildPostRequest, encodePart, formatQuery, type HttpRequest } from './request.ts';
import { readFoundPage, type FoundPage } from './responseReaders.ts';
import type { MetadataForm } from './serverDialect.ts';

/** The metadata of files, and the IDs that the server refused. */
export interface BatchedMetadata {
  readonly files: readonly FoundFile[];
  readonly refusedIds: readonly RefusedId[];
  /** True if the server accepted any request, even if the response omitted all files. */
  readonly hasRead: boolean;
  /** The state of the listing of a store, as of the last response of the local service. */
  readonly listing?: StoreListing;
  /** The reason why the entire request failed. If set, the lists are empty. */
  readonly reason?: Reason;
}

/** A part of a batch to be requested separately. `wereNamed` is true if the server mentioned these IDs in a refusal. */
interface BatchPart {
  readonly ids: readonly string[];
  readonly wereNamed: boolean;
}

type BatchResult = Result<FoundPage>;

const maxConsecutiveRefusals = 20;

/** Number of sample IDs to request individually, to determine whether certain IDs are the cause of a failure. */
const refusalSampleSize = 5;

const maxConsecutiveDrops = 12;

/** Number of dropped connections after which batches are no longer halved. */
const maxDrops = 60;

/**
 * Fetches metadata in batches. Splits a batch if the server refuses it or drops the connection (D8: metadata by ids).
 * Each instance can be used only once. Methods that resolve to a reason stop everything if there is one.
 */
export class MetadataBatches {
  private readonly requester: MetadataRequester;
  private readonly files: FoundFile[] = [];
  private readonly refusedIds: RefusedId[] = [];
  private ids: readonly string[] = [];
  /** The IDs that remain to be requested, except those in `unsendable`. */
  private readonly pending: BatchPart[] = [];
  /** The IDs with a comma, which the GET form cannot express. */
  private unsendable: readonly string[] = [];
  private refusalsInARow = 0;
  private dropsInARow = 0;
  private drops = 0;
  private hasRead = false;

  constructor(database: DatabaseName, orcid: string, signal?: AbortSignal) {
    this.requester = new MetadataRequester(database, orcid, signal);
  }

  /** Fetches the metadata of a page of distinct `ids`, in their order, with unreadable files last. */
  async gather(ids: readonly string[], page: Page): Promise<BatchedMetadata> {
    this.ids = ids;
    if (ids.every(hasComma)) this.requester.usePost();
    const reason = (await this.requestPage(ids, page)) ?? this.getCommonFailure();
    const { hasRead, refusedIds } = this;
    const { listing } = this.requester;
    if (reason) return { files: [], refusedIds: [], hasRead, reason };
    return { files: sortByIds(this.files, ids), refusedIds, hasRead, ...(listing && { listing }) };
  }

  /** Returns the common reason if all IDs failed because of a server fault that is unrelated to the IDs. */
  private getCommonFailure(): Reason | undefined {
    const [first] = this.refusedIds;
    const isCommon = !this.hasRead && this.refusedIds.every(({ id, reason }) => isServerFailure(reason, id));
    return isCommon ? first?.reason : undefined;
  }

  private async requestPage(ids: readonly string[], page: Page): Promise<Reason | undefined> {
    const { requester } = this;
    const canSendAll = requester.form === 'post' || !ids.some(hasComma);
    const isOneBatch = canSendAll && requester.countFitting(ids, page) === ids.length;
    const hasPage = page.offset !== undefined || page.limit !== undefined;
    if (!isOneBatch || !hasPage) return await this.requestAll(slicePage(ids, page));
    const result = await requester.request(ids, page);
    if (result === 'formChanged') return await this.requestPage(ids, page);
    const isAboutIds = result.reason !== undefined && (isRefusal(result) || isDrop(result));
    return isAboutIds ? await this.requestAll(slicePage(ids, page)) : this.takeFiles(result);
  }

  private async requestAll(ids: readonly string[]): Promise<Reason | undefined> {
    const isGet = this.requester.form === 'get';
    this.unsendable = isGet ? ids.filter(hasComma) : [];
    this.addPending(isGet ? ids.filter((id) => !hasComma(id)) : ids);
    return await this.requestPending();
  }

  private async requestPending(): Promise<Reason | undefined> {
    const { requester, pending } = this;
    const { form } = requester;
    for (let part = pending.shift(); part; part = pending.shift()) {
      const { ids, wereNamed } = part;
      const batch = ids.slice(0, requester.countFitting(ids));
      const result = await requester.request(batch);
      const isDone = result !== 'formChanged';
      this.addPending(isDone ? ids.slice(batch.length) : ids, wereNamed);
      const reason = isDone ? await this.handleResult(batch, result, wereNamed) : undefined;
      if (reason) return reason;
      if (requester.form !== form) return await this.requestRest();
    }
    return await this.requestUnsendable();
  }

  private async requestRest(): Promise<Reason | undefined> {
    const rest = new Set([...this.pending.splice(0).flatMap(({ ids }) => ids), ...this.unsendable]);
    return await this.requestAll(this.ids.filter((id) => rest.has(id)));
  }

  /** Requests the IDs with a comma in the POST form, which a server that accepts GET may also support. */
  private async requestUnsendable(): Promise<Reason | undefined> {
    const { requester, unsendable: ids } = this;
    if (ids.length === 0) return undefined;
    this.unsendable = [];
    const batch = ids.slice(0, requester.countFitting(ids, {}, 'post'));
    const result = await requester.requestInForm('post', batch);
    if (result.reason && isFormMissing(result)) {
      const detail = 'the ID contains a comma, and this server accepts only comma-separated IDs';
      this.addRefused(ids, { kind: 'refused', detail });
      return undefined;
    }
    requester.usePost();
    this.addPending(ids.slice(batch.length));
    return (await this.handleResult(batch, result, false)) ?? (await this.requestPending());
  }

  private addPending(ids: readonly string[], wereNamed = false): void {
    if (ids.length > 0) this.pending.unshift({ ids, wereNamed });
  }

  private async handleResult(
    batch: readonly string[],
    result: BatchResult,
    wereNamed: boolean,
  ): Promise<Reason | undefined> {
    if (result.reason && isDrop(result)) return await this.handleDroppedConnection(batch, result.reason);
    this.dropsInARow = 0;
    if (!result.reason || !isRefusal(result)) return this.takeFiles(result);
    const { reason } = result;
    this.refusalsInARow++;
    const named = findNamedIds(reason.detail ?? '', batch);
    if (batch.length === 1 || (wereNamed && named.length === batch.length)) {
      this.addRefused(batch, reason);
      return undefined;
    }
    if (this.refusalsInARow >= maxConsecutiveRefusals) {
      // Unless the server refuses only certain IDs, finding them would take too many requests.
      if (!(await this.isAny((one) => !one.reason))) return reason;
      this.refusalsInARow = 0;
    }
    this.pending.unshift(...splitBatch(batch, named));
    return undefined;
  }

  /** Finds the IDs in a batch that make the server drop the connection. */
  private async handleDroppedConnection(batch: readonly string[], reason: Reason): Promise<Reason | undefined> {
    this.drops++;
    this.dropsInARow++;
    if (this.drops > maxDrops) {
      this.addRefused(batch, reason);
      return undefined;
    }
    if (this.dropsInARow >= maxConsecutiveDrops) {
      if (!(await this.isAny((one) => !one.reason || one.reason.status !== undefined))) return reason;
      this.dropsInARow = 0;
    }
    const [id = ''] = batch;
    if (batch.length === 1) return await this.confirmDrop(id);
    this.pending.unshift(...halve(batch));
    return undefined;
  }

  /**
   * Requests an ID again after the connection was dropped. If the connection is dropped again while the service
   * responds to other requests, records the ID as the cause.
   */
  private async confirmDrop(id: string): Promise<Reason | undefined> {
    const result = await this.requester.request([id]);
    if (result === 'formChanged') {
      this.addPending([id]);
      return undefined;
    }
    if (!result.reason || !isDrop(result)) return await this.handleResult([id], result, false);
    this.drops++;
    if (!(await this.requester.isServiceAnswering())) return result.reason;
    this.addRefused([id], { ...result.reason, detail: id, isIdAtFault: true });
    return undefined;
  }

  /** Resolves to true if a response to at least one sampled ID, requested alone, matches. */
  private async isAny(matches: (result: BatchResult) => boolean): Promise<boolean> {
    const { ids, requester } = this;
    const sendable = requester.form === 'get' ? ids.filter((id) => !hasComma(id)) : ids;
    for (let tried = 0; tried < refusalSampleSize; tried++) {
      const id = sendable[Math.floor(((tried + 0.5) * sendable.length) / refusalSampleSize)];
      const result = id === undefined ? undefined : await requester.request([id]);
      if (typeof result === 'object' && matches(result)) return true;
    }
    return false;
  }

  private takeFiles(result: BatchResult): Reason | undefined {
    if (result.reason) return result.reason;
    this.refusalsInARow = 0;
    this.hasRead = true;
    // A spread could overflow the stack if a server responds with far more files than requested.
    for (const file of result.value.files) this.files.push(file);
    return undefined;
  }

  private addRefused(ids: readonly string[], reason: Reason): void {
    for (const id of ids) this.refusedIds.push({ id, reason: toIdReason(reason, id) });
  }
}

/** Statuses that indicate a refusal of the request's content, rather than of the caller or of all requests. */
const refusingStatuses: ReadonlySet<number> = new Set([400, 404, 410, 413, 414, 422, 500]);

function halve(batch: readonly string[], wereNamed = false): readonly BatchPart[] {
  const middle = Math.ceil(batch.length / 2);
  return [batch.slice(0, middle), batch.slice(middle)].map((ids) => ({ ids, wereNamed }));
}

/** Splits a refused batch into the IDs that the server mentioned and the others, or else into halves. */
function splitBatch(batch: readonly string[], named: readonly string[]): readonly BatchPart[] {
  if (named.length === 0 || named.length === batch.length) return halve(batch, named.length > 0);
  const isNamed = new Set(named);
  return [
    { ids: batch.filter((id) => !isNamed.has(id)), wereNamed: false },
    { ids: named, wereNamed: true },
  ];
}

/**
 * Returns the IDs that a message mentions in double quotation marks or, if there are none, as whole words. Ignores
 * matches inside longer words or IDs, such as `a-1` in `a-10`.
 */
function findNamedIds(text: string, ids: readonly string[]): readonly string[] {
  const quoted = ids.filter((id) => text.includes(`"${id}"`));
  if (quoted.length > 0) return quoted;
  let rest = text;
  const named = new Set<string>();
  for (const id of [...ids].sort((a, b) => b.length - a.length)) {
    const without = id === '' ? rest : removeWord(rest, id);
    if (without !== rest) named.add(id);
    rest = without;
  }
  return ids.filter((id) => named.has(id));
}

const endsInsideWord = /[\p{L}\p{N}_-]$/u;
const startsInsideWord = /^[\p{L}\p{N}_-]/u;

/** Replaces `word` with a line feed wherever it is a whole word, which prevents later matches inside it. */
function removeWord(text: string, word: string): string {
  const [first = '', ...others] = text.split(word);
  return others.reduce((rest, next) => {
    const isPart = endsInsideWord.test(rest) || startsInsideWord.test(next);
    return rest + (isPart ? word : '\n') + next;
  }, first);
}

function isRefusal({ reason, isProblem }: RequestFailure): boolean {
  if (reason.status === 404 && !isProblem) return false;
  return reason.status !== undefined && refusingStatuses.has(reason.status);
}

/** Returns true if the connection was closed without a response, as after a crash in the server. */
function isDrop({ reason }: RequestFailure): boolean {
  return reason.kind === 'dropped' && reason.status === undefined;
}

/**
 * Returns the reason for a single refused ID. Changes the kind to `notFound` for a 410, or if the message says that the
 * ID was not found. The public server sends such messages with a 500. Any other 500 means that the ID could not be
 * looked up.
 */
function toIdReason(reason: Reason, id: string): Reason {
  const saysNotFound = reason.status === 410 || (isAbout(reason, id) && /\bnot found\b/i.test(reason.detail ?? ''));
  return saysNotFound ? { ...reason, kind: 'notFound' } : reason;
}

function isServerFailure(reason: Reason, id: string): boolean {
  return reason.kind === 'serverError' && !isAbout(reason, id);
}

function isAbout({ detail = '' }: Reason, id: string): boolean {
  return findNamedIds(detail, [id]).length > 0;
}

function hasComma(id: string): boolean {
  return id.includes(',');
}

function slicePage(ids: readonly string[], { offset = 0, limit }: Page): readonly string[] {
  return ids.slice(offset, limit === undefined ? undefined : offset + limit);
}

function sortByIds(files: readonly FoundFile[], ids: readonly string[]): readonly FoundFile[] {
  if (areInOrder(files, ids)) return files;
  const positions = new Map(ids.map((id, index) => [id, index]));
  const getPosition = (file: FoundFile): number =>
    (file.kind === 'file' ? positions.get(file.id) : undefined) ?? ids.length;
  return [...files].sort((a, b) => getPosition(a) - getPosition(b));
}

/** Returns true if files are already in the order of `ids`, as most servers return them. Some IDs may be missing. */
function areInOrder(files: readonly FoundFile[], ids: readonly string[]): boolean {
  let next = 0;
  return files.every((file) => {
    if (file.kind !== 'file') return false;
    while (next < ids.length && ids[next] !== file.id) next++;
    return next < ids.length;
  });
}

/** A range of the IDs. Sent to the server only if all IDs fit into one batch (D8: metadata by ids). */
interface Page {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

/** Requests batches of metadata in the form that the server requires (D7: database name or id, D8: metadata by ids). */
class MetadataRequester {
  /** The form in use. The first responses or `usePost` can change it. */
  form: MetadataForm;
  /** The state of the listing of a store, as of the last response of the local service. */
  listing: StoreListing | undefined;
  private isFormSure = false;
  /** True if the IDs need this form. A success then does not show which form the server requires. */
  private isFormForced = false;
  private readonly database: DatabaseName;
  private readonly orcid: string;
  private readonly signal: AbortSignal | undefined;

  constructor(database: DatabaseName, orcid: string, signal?: AbortSignal) {
    const { dialects, service } = database.session;
    this.database = database;
    this.orcid = orcid;
    this.signal = signal;
    this.form = dialects.get(service).metadataForm ?? 'get';
  }

  /** Counts the leading IDs that fit into one request; at least 1 if there are any IDs. */
  countFitting(ids: readonly string[], page: Page = {}, form = this.form): number {
    const { limits, origin } = this.database.session;
    if (form === 'post') return Math.min(ids.length, limits.batchIds);
    let length = origin.length + this.buildGetRequest([], page).path.length;
    let count = 0;
    for (const id of ids) {
      length += encodePart(id).length + 1;
      if (length >= limits.urlBytes && count > 0) break;
      count++;
    }
    return count;
  }

  /** Requests one batch. Resolves to `formChanged` if the other form must be used, which needs different batches. */
  async request(ids: readonly string[], page: Page = {}): Promise<BatchResult | 'formChanged'> {
    const { dialects, service } = this.database.session;
    const result = await this.requestInForm(this.form, ids, page);
    if (result.reason && isFormMissing(result) && !this.isFormSure) {
      this.isFormSure = true;
      this.isFormForced = false;
      this.form = this.form === 'get' ? 'post' : 'get';
      return 'formChanged';
    }
    if (!result.reason || result.reason.status !== undefined) this.isFormSure = true;
    if (!result.reason && !this.isFormForced) dialects.learn(service, { metadataForm: this.form });
    return result;
  }

  /** Resolves to true if the service responds to a request that does not involve files. */
  async isServiceAnswering(): Promise<boolean> {
    const { reason } = await this.database.session.listDatabases(this.signal);
    return !reason || reason.status !== undefined;
  }

  /** Switches to the POST form for IDs that need it, without storing the form in the server's dialect. */
  usePost(): void {
    this.isFormForced ||= this.form !== 'post';
    this.form = 'post';
  }

  async requestInForm(form: MetadataForm, ids: readonly string[], page: Page = {}): Promise<BatchResult> {
    const { session, name } = this.database;
    const isLocal = session.service.hasFullPages === true;
    const result = await requestWithName(
      this.database,
      async () => {
        const request = form === 'get' ? this.buildGetRequest(ids, page) : this.buildPostRequest(ids, page);
        return await session.request(request, (json) => readFoundPage(json, name, isLocal), this.signal);
      },
      this.signal,
      (failure) => failure.reason.status === 404 && !(form === 'get' && isFormMissing(failure)),
    );
    const { listing } = result.reason ? result : result.value;
    if (isLocal && listing) this.listing = listing;
    return result;
  }

  private buildGetRequest(ids: readonly string[], { offset, limit }: Page): HttpRequest {
    const { session, sent } = this.database;
    const head = formatQuery({ database: sent, orcid: this.orcid });
    const list = `&ids=${ids.map(encodePart).join(',')}`;
    const path = `${session.apiPath}/files/by-id${head}${list}${formatQuery({ offset, limit }).replace('?', '&')}`;
    return { method: 'GET', path, isHalved: true };
  }

  private buildPostRequest(ids: readonly string[], { offset, limit }: Page): HttpRequest {
    const { session, sent } = this.database;
    const body = { database: sent, orcid: this.orcid, file_ids: [...ids], offset, limit };
    return buildPostRequest(`${session.apiPath}/files/by-id`, body);
  }
}

/** Returns true if the server lacks this route, or lacks it for this method (D8: metadata by ids). */
function isFormMissing({ reason, isProblem }: RequestFailure): boolean {
  return reason.status === 405 || (reason.status === 404 && !isProblem);
}
