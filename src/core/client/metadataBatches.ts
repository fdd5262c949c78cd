import type { FoundFile } from '../model/fileEntry.ts';
import type { Reason } from '../model/reason.ts';
import type { Failed, Read } from './http.ts';
import { halve, isDrop, isRefusal, isServerFailure, namedIn, partsOf, toIdReason, type Part } from './idRefusals.ts';
import { isFormMissing } from './metadata.ts';
import type { MetadataAsker, Page } from './metadata.ts';
import type { RefusedId } from './reply.ts';

/** What all batches brought together. */
interface Gathered {
  readonly files: readonly FoundFile[];
  readonly refusedIds: readonly RefusedId[];
  /** Why the whole request failed; then the other two count for nothing. */
  readonly reason?: Reason;
}

type BatchOutcome = Read<readonly FoundFile[]> | Failed;

/** So many refusals with no success between them mean that the server does not refuse for the ids. */
const mostRefusalsInARow = 20;

/** Single ids from all over the list that are tried before that is believed. */
const triedBeforeGivingUp = 5;

/** So many dropped connections with no answer between them mean that they aren't due to single ids. */
const mostDropsInARow = 12;

/** After so many dropped connections in all, nothing is halved any more. */
const mostDrops = 60;

/** Fetches metadata for any number of ids, in batches, halving those that are refused or drop the connection (D8). For one use. */
export class MetadataBatches {
  private readonly asker: MetadataAsker;
  private readonly files: FoundFile[] = [];
  private readonly refusedIds: RefusedId[] = [];
  private refusalsInARow = 0;
  private dropsInARow = 0;
  private drops = 0;
  private hasRead = false;
  private ids: readonly string[] = [];

  constructor(asker: MetadataAsker) {
    this.asker = asker;
  }

  /** `ids` without duplicates. The files come in the order asked. */
  async gather(ids: readonly string[], page: Page): Promise<Gathered> {
    this.ids = ids;
    if (ids.every(hasComma)) this.asker.usePost();
    const reason = (await this.gatherAll(ids, page)) ?? this.commonFailure();
    if (reason) return { files: [], refusedIds: [], reason };
    return { files: inOrder(this.files, ids), refusedIds: this.refusedIds };
  }

  /** Returns why every single id failed, where that is a failure of the server and has nothing to do with the ids. */
  private commonFailure(): Reason | undefined {
    const [first] = this.refusedIds;
    const isCommon = !this.hasRead && this.refusedIds.every(({ id, reason }) => isServerFailure(reason, id));
    return isCommon ? first?.reason : undefined;
  }

  private async gatherAll(ids: readonly string[], page: Page): Promise<Reason | undefined> {
    const isOneBatch = !this.mustLeaveOut(ids) && this.asker.fitting(ids, page) === ids.length;
    const hasPage = page.offset !== undefined || page.limit !== undefined;
    if (!isOneBatch || !hasPage) return await this.gatherBatches(cut(ids, page));
    const outcome = await this.asker.ask(ids, page);
    if (outcome === 'formChanged') return await this.gatherAll(ids, page);
    const isAboutIds = outcome.kind === 'failed' && (isRefusal(outcome) || isDrop(outcome));
    return isAboutIds ? await this.gatherBatches(cut(ids, page)) : this.take(outcome);
  }

  private mustLeaveOut(ids: readonly string[]): boolean {
    return this.asker.form === 'get' && ids.some(hasComma);
  }

  private async gatherBatches(ids: readonly string[]): Promise<Reason | undefined> {
    const isGet = this.asker.form === 'get';
    const sayable = isGet ? ids.filter((id) => !hasComma(id)) : ids;
    for (let start = 0; start < sayable.length;) {
      const rest = sayable.slice(start);
      const batch = rest.slice(0, this.asker.fitting(rest));
      const outcome = await this.asker.ask(batch);
      if (outcome === 'formChanged') return await this.gatherBatches(ids);
      const reason = await this.settle(batch, outcome, false);
      if (reason) return reason;
      start += batch.length;
    }
    return isGet ? await this.gatherUnsayable(ids.filter(hasComma)) : undefined;
  }

  /** Ids with a comma, on a server that took the GET form: it may have the other one too. */
  private async gatherUnsayable(ids: readonly string[]): Promise<Reason | undefined> {
    if (ids.length === 0) return undefined;
    const batch = ids.slice(0, this.asker.fitting(ids, {}, 'post'));
    const outcome = await this.asker.askByPost(batch);
    if (outcome.kind === 'failed' && isFormMissing(outcome)) {
      const detail = 'the id holds a comma, and this server takes ids only joined by commas';
      this.refuse(ids, { kind: 'refused', detail });
      return undefined;
    }
    this.asker.usePost();
    const reason = await this.settle(batch, outcome, false);
    return reason ?? (await this.gatherBatches(ids.slice(batch.length)));
  }

  /** Takes the files of a batch, or finds out which of its ids are refused. Returns the reason to give up. */
  private async settle(
    batch: readonly string[],
    outcome: BatchOutcome,
    wereNamed: boolean,
  ): Promise<Reason | undefined> {
    if (outcome.kind === 'failed' && isDrop(outcome)) return await this.settleDrop(batch, outcome.reason);
    this.dropsInARow = 0;
    if (outcome.kind === 'read' || !isRefusal(outcome)) return this.take(outcome);
    const { reason } = outcome;
    this.refusalsInARow++;
    const named = namedIn(reason.detail ?? '', batch);
    if (batch.length === 1 || (wereNamed && named.length === batch.length)) {
      this.refuse(batch, reason);
      return undefined;
    }
    if (this.refusalsInARow >= mostRefusalsInARow && !(await this.isAnyTaken())) return reason;
    return await this.settleParts(partsOf(batch, named));
  }

  /** Searches a batch for the ids that drop the connection, within bounds. Returns the reason to give up. */
  private async settleDrop(batch: readonly string[], reason: Reason): Promise<Reason | undefined> {
    this.drops++;
    this.dropsInARow++;
    if (this.drops > mostDrops) {
      this.refuse(batch, reason);
      return undefined;
    }
    if (this.dropsInARow >= mostDropsInARow && !(await this.isAnyAnswered())) return reason;
    const [id = ''] = batch;
    return batch.length === 1 ? await this.confirmDrop(id) : await this.settleParts(halve(batch));
  }

  /** Names an id as the one that drops the connection once it has done so twice and the service answers otherwise. */
  private async confirmDrop(id: string): Promise<Reason | undefined> {
    const outcome = await this.asker.ask([id]);
    if (outcome === 'formChanged') return await this.gatherBatches([id]);
    if (outcome.kind === 'read' || !isDrop(outcome)) return await this.settle([id], outcome, false);
    this.drops++;
    if (!(await this.asker.isServiceAnswering())) return outcome.reason;
    this.refuse([id], { ...outcome.reason, isIdAtFault: true });
    return undefined;
  }

  private async isAnyAnswered(): Promise<boolean> {
    const isAnswered = await this.isAny((outcome) => outcome.kind === 'read' || outcome.reason.status !== undefined);
    if (isAnswered) this.dropsInARow = 0;
    return isAnswered;
  }

  /** Whether the server takes any of some ids, each by itself: then it does refuse for the ids, of which many are bad. */
  private async isAnyTaken(): Promise<boolean> {
    const isTaken = await this.isAny((outcome) => outcome.kind === 'read');
    if (isTaken) this.refusalsInARow = 0;
    return isTaken;
  }

  private async isAny(isSo: (outcome: BatchOutcome) => boolean): Promise<boolean> {
    const { ids, asker } = this;
    const sayable = asker.form === 'get' ? ids.filter((id) => !hasComma(id)) : ids;
    for (let tried = 0; tried < triedBeforeGivingUp; tried++) {
      const id = sayable[Math.floor(((tried + 0.5) * sayable.length) / triedBeforeGivingUp)];
      const outcome = id === undefined ? undefined : await asker.ask([id]);
      if (typeof outcome === 'object' && isSo(outcome)) return true;
    }
    return false;
  }

  private async settleParts(parts: readonly Part[]): Promise<Reason | undefined> {
    for (const [place, { ids, wereNamed }] of parts.entries()) {
      const outcome = await this.asker.ask(ids);
      // A dropped connection tells nothing of the form.
      if (outcome === 'formChanged') return await this.gatherBatches(parts.slice(place).flatMap((part) => part.ids));
      const reason = await this.settle(ids, outcome, wereNamed);
      if (reason) return reason;
    }
    return undefined;
  }

  private take(outcome: BatchOutcome): Reason | undefined {
    if (outcome.kind === 'failed') return outcome.reason;
    this.refusalsInARow = 0;
    this.hasRead = true;
    this.files.push(...outcome.value);
    return undefined;
  }

  private refuse(ids: readonly string[], reason: Reason): void {
    for (const id of ids) this.refusedIds.push({ id, reason: toIdReason(reason, id) });
  }
}

function hasComma(id: string): boolean {
  return id.includes(',');
}

function cut(ids: readonly string[], { offset = 0, limit }: Page): readonly string[] {
  return ids.slice(offset, limit === undefined ? undefined : offset + limit);
}

function inOrder(files: readonly FoundFile[], ids: readonly string[]): readonly FoundFile[] {
  const places = new Map(ids.map((id, place) => [id, place]));
  const placeOf = (file: FoundFile): number => (file.kind === 'file' ? places.get(file.id) : undefined) ?? ids.length;
  return [...files].sort((a, b) => placeOf(a) - placeOf(b));
}
