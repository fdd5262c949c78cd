import type { FoundFile } from '../model/fileEntry.ts';
import type { Reason } from '../model/reason.ts';
import type { Failed, Read } from './http.ts';
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

/** Statuses by which a server refuses what is in a request, rather than whoever asks, or everything. */
const refusingStatuses: ReadonlySet<number> = new Set([400, 404, 410, 413, 414, 422, 500]);

/** So many refusals with no success between them mean that the server does not refuse for the ids. */
const mostRefusalsInARow = 20;

/** Single ids from all over the list that are tried before that is believed. */
const triedBeforeGivingUp = 5;

/** Fetches metadata for any number of ids, in batches, halving those that are refused (D8). For one use. */
export class MetadataBatches {
  private readonly asker: MetadataAsker;
  private readonly files: FoundFile[] = [];
  private readonly refusedIds: RefusedId[] = [];
  private refusalsInARow = 0;
  private ids: readonly string[] = [];

  constructor(asker: MetadataAsker) {
    this.asker = asker;
  }

  /** `ids` without duplicates. The files come in the order asked. */
  async gather(ids: readonly string[], page: Page): Promise<Gathered> {
    this.ids = ids;
    if (ids.every(hasComma)) this.asker.usePost();
    const reason = await this.gatherAll(ids, page);
    if (reason) return { files: [], refusedIds: [], reason };
    return { files: inOrder(this.files, ids), refusedIds: this.refusedIds };
  }

  private async gatherAll(ids: readonly string[], page: Page): Promise<Reason | undefined> {
    const isOneBatch = !this.mustLeaveOut(ids) && this.asker.fitting(ids, page) === ids.length;
    const hasPage = page.offset !== undefined || page.limit !== undefined;
    if (!isOneBatch || !hasPage) return await this.gatherBatches(cut(ids, page));
    const outcome = await this.asker.ask(ids, page);
    if (outcome === 'formChanged') return await this.gatherAll(ids, page);
    if (outcome.kind === 'failed' && isRefusal(outcome)) return await this.gatherBatches(cut(ids, page));
    return this.take(outcome);
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

  /** Whether the server takes any of some ids, each by itself: then it does refuse for the ids, of which many are bad. */
  private async isAnyTaken(): Promise<boolean> {
    const { ids, asker } = this;
    const sayable = asker.form === 'get' ? ids.filter((id) => !hasComma(id)) : ids;
    for (let tried = 0; tried < triedBeforeGivingUp; tried++) {
      const id = sayable[Math.floor(((tried + 0.5) * sayable.length) / triedBeforeGivingUp)];
      const outcome = id === undefined ? undefined : await asker.ask([id]);
      if (typeof outcome !== 'object' || outcome.kind !== 'read') continue;
      this.refusalsInARow = 0;
      return true;
    }
    return false;
  }

  private async settleParts(parts: readonly Part[]): Promise<Reason | undefined> {
    for (const { ids, wereNamed } of parts) {
      const outcome = await this.asker.ask(ids);
      // The form was settled before the first refusal.
      if (outcome === 'formChanged') return undefined;
      const reason = await this.settle(ids, outcome, wereNamed);
      if (reason) return reason;
    }
    return undefined;
  }

  private take(outcome: BatchOutcome): Reason | undefined {
    if (outcome.kind === 'failed') return outcome.reason;
    this.refusalsInARow = 0;
    this.files.push(...outcome.value);
    return undefined;
  }

  private refuse(ids: readonly string[], reason: Reason): void {
    for (const id of ids) this.refusedIds.push({ id, reason });
  }
}

interface Part {
  readonly ids: readonly string[];
  readonly wereNamed: boolean;
}

/** The ids that the server named in its refusal stand apart at once; where it names none, or all, the batch is halved. */
function partsOf(batch: readonly string[], named: readonly string[]): readonly Part[] {
  if (named.length === 0 || named.length === batch.length) {
    const middle = Math.ceil(batch.length / 2);
    const wereNamed = named.length > 0;
    return [batch.slice(0, middle), batch.slice(middle)].map((ids) => ({ ids, wereNamed }));
  }
  const isNamed = new Set(named);
  return [
    { ids: batch.filter((id) => !isNamed.has(id)), wereNamed: false },
    { ids: named, wereNamed: true },
  ];
}

/**
 * The ids that a text names: in quotes, or, where none stands in quotes, as words of their own: `a-1` is not named by
 * `a-10`, which the list may hold too.
 */
function namedIn(text: string, ids: readonly string[]): readonly string[] {
  const quoted = ids.filter((id) => text.includes(`"${id}"`));
  if (quoted.length > 0) return quoted;
  let rest = text;
  const named = new Set<string>();
  for (const id of [...ids].sort((a, b) => b.length - a.length)) {
    const without = id === '' ? rest : withoutWord(rest, id);
    if (without !== rest) named.add(id);
    rest = without;
  }
  return ids.filter((id) => named.has(id));
}

const endsInside = /[\p{L}\p{N}_-]$/u;
const beginsInside = /^[\p{L}\p{N}_-]/u;

/** A line end in the place of each `word`, so that nothing inside of it is found any more. */
function withoutWord(text: string, word: string): string {
  const [first = '', ...others] = text.split(word);
  return others.reduce((rest, next) => {
    const isPart = endsInside.test(rest) || beginsInside.test(next);
    return rest + (isPart ? word : '\n') + next;
  }, first);
}

function isRefusal({ reason, isProblem }: Failed): boolean {
  if (reason.status === 404 && !isProblem) return false;
  return reason.status !== undefined && refusingStatuses.has(reason.status);
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
