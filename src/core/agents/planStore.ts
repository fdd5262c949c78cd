import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { parsePlanId, planFolder, toPlanName, withdrawDecision, type PlanPart } from '../transfers/planFiles.ts';
import { RecordFolderWatch } from '../transfers/recordFolders.ts';
import type { Transfer } from '../model/transferModel.ts';
import type { Clock } from '../util/clock.ts';
import { createFolder } from '../util/createFolder.ts';
import { createFileExclusively, readRegularFile } from '../util/durableFiles.ts';
import { getErrorCode, isMissing } from '../util/errorFacts.ts';
import { leftOutKinds } from '../util/leftOut.ts';
import { Emitter, Lifetime, type Disposable } from '../util/lifetime.ts';
import type { Logger } from '../util/logger.ts';
import { AgentError } from './agentError.ts';
import type { PlanDecision, PlanState, SavedPlan, TransferPlan } from './transferPlan.ts';

/** The transfer that was submitted for a plan. `at`: when it was recorded, in milliseconds since 1970. */
interface PlanOutcome {
  readonly transferKey: string;
  readonly at: number;
}

const count = z.int().check(z.gte(0));

const fileSchema = z.looseObject({
  id: z.string(),
  path: z.string(),
  bytes: z.exactOptional(count),
  hash: z.exactOptional(z.string()),
  licenses: z.exactOptional(z.array(z.looseObject({ name: z.string(), url: z.exactOptional(z.string()) }))),
});

const listingSchema = z.object({
  state: z.enum(['scanning', 'listed', 'failed']),
  files: count,
  asOf: z.exactOptional(z.iso.datetime()),
  problem: z.exactOptional(z.string()),
});

const planSchema = z.looseObject({
  id: z.string(),
  createdAt: z.number(),
  expiresAt: z.number(),
  requestedBy: z.string(),
  service: z.looseObject({ connectionId: z.string(), name: z.string(), address: z.string(), orcid: z.string() }),
  source: z.string(),
  destination: z.string(),
  files: z.array(fileSchema),
  folder: z.exactOptional(z.string()),
  leftOut: z.exactOptional(z.partialRecord(z.enum(leftOutKinds), count)),
  listing: z.exactOptional(listingSchema),
  description: z.exactOptional(z.string()),
  instructions: z.exactOptional(z.record(z.string(), z.unknown())),
  textOrigin: z.enum(['agent', 'server']),
  licenses: z.array(
    z.looseObject({ name: z.exactOptional(z.string()), fileCount: count, forbidsSharing: z.boolean() }),
  ),
  copies: z.looseObject({ atDestination: count, isComplete: z.boolean(), received: count, underWay: count }),
  freeBytes: z.exactOptional(z.number()),
});

/** Describes a stored plan, not one of a later version, which could have options that this one ignores. */
const storedSchema = z.looseObject({ version: z.literal(1), plan: planSchema });

const decisionSchema = z.looseObject({ kind: z.enum(['confirmed', 'declined']), by: z.string(), at: z.number() });
const outcomeSchema = z.looseObject({ transferKey: z.string(), at: z.number() });

/** Parses a plan's file. Returns undefined if it is missing, damaged or from a later version. */
export function parsePlan(text: string | undefined): TransferPlan | undefined {
  return parse(storedSchema, text)?.plan;
}

/**
 * Parses a decision file. Returns undefined if the file is missing. Treats a damaged file as an earlier
 * confirmation, so that nothing is submitted twice.
 */
export function parseDecision(text: string | undefined): PlanDecision | undefined {
  if (text === undefined) return undefined;
  return parse(decisionSchema, text) ?? { kind: 'confirmed', by: '', at: 0 };
}

/** Parses an outcome file. Returns undefined if it is missing or damaged. */
export function parseOutcome(text: string | undefined): PlanOutcome | undefined {
  const outcome = parse(outcomeSchema, text);
  return outcome && { transferKey: outcome.transferKey, at: outcome.at };
}

function parse<Schema extends z.ZodMiniType>(schema: Schema, text: string | undefined): z.output<Schema> | undefined {
  try {
    return text === undefined ? undefined : schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Time for which a plan is retained after it expires, in milliseconds. */
const retentionMs = 24 * 3_600_000;

/** Maximum number of plans that await a decision. Limited so that an agent can't fill the list. */
const maxProposed = 20;

/** Maximum number of retained plans. Limited so that an agent can't fill the disk with expired plans. */
const maxSaved = 200;

/** Maximum size of a plan's file, in bytes. A plan with the maximum number of files is several times smaller. */
const maxPlanBytes = 128 * 1024 * 1024;

/**
 * Stores agents' plans next to the transfer records, for all of the user's windows and programs (D48: ledger as files).
 * A plan's file never changes. The decision is a second file that is created exclusively, so that a plan is decided and
 * submitted at most once.
 */
export class PlanStore implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly ledgerFolder: string;
  private readonly folder: string;
  private readonly clock: Clock;
  private readonly log: Logger;
  private readonly changed = this.lifetime.track(new Emitter<void>());
  private readonly watch: RecordFolderWatch;
  private creating: Promise<unknown> = Promise.resolve();

  /** Fires when this or another program adds, decides on or deletes a plan. Needs {@link start}. */
  readonly onDidChange = this.changed.event;

  /** `ledgerFolder` is the folder with the transfer records. */
  constructor(ledgerFolder: string, clock: Clock, log: Logger) {
    this.ledgerFolder = ledgerFolder;
    this.folder = join(ledgerFolder, planFolder);
    this.clock = clock;
    this.log = log;
    this.watch = this.lifetime.track(new RecordFolderWatch(this.folder, clock, () => this.changed.fire()));
  }

  /** Starts watching for changes. Never rejects. */
  async start(): Promise<void> {
    await this.watch.start();
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  /**
   * Saves a new plan under a new ID, and deletes old plans. Throws {@link AgentError} if too many plans await a
   * decision, if the folder can't be read, or if the new plan can't be written or an old one can't be deleted.
   */
  async create(plan: Omit<TransferPlan, 'id'>): Promise<TransferPlan> {
    // One call at a time, because each call counts the plans before it.
    const created = this.creating.then(async () => await this.createNext(plan));
    this.creating = created.catch(() => undefined);
    return await created;
  }

  private async createNext(plan: Omit<TransferPlan, 'id'>): Promise<TransferPlan> {
    const saved = await this.readAll().catch(throwNotSaved);
    if (saved.filter(({ state }) => state.kind === 'proposed').length >= maxProposed)
      throw new AgentError(
        'tooManyPlans',
        `${maxProposed} plans are waiting for user confirmation. Ask the user to decide first.`,
      );
    await this.purge(saved).catch(throwNotSaved);
    const created = { ...plan, id: randomBytes(6).toString('hex') };
    await this.write(this.getPath(created.id), { version: 1, plan: created });
    return created;
  }

  /** Returns the readable plans, newest first. Throws {@link AgentError} for a folder that exists but can't be read. */
  async list(): Promise<readonly SavedPlan[]> {
    return await this.readAll().catch(throwNotRead);
  }

  /** Returns all saved plans, newest first. Skips unreadable ones. Rejects if the folder exists but can't be read. */
  private async readAll(): Promise<readonly SavedPlan[]> {
    const found = await Promise.all((await this.listIds()).map((id) => this.get(id)));
    return found.filter((one) => one !== undefined).sort((a, b) => b.plan.createdAt - a.plan.createdAt);
  }

  /** Returns the IDs of all saved plans. Rejects if the folder exists but can't be read. */
  private async listIds(): Promise<readonly string[]> {
    const names = await readdir(this.folder).catch((error: unknown) => {
      if (getErrorCode(error) === 'ENOENT') return [];
      throw error;
    });
    return names.flatMap((name) => parsePlanId(name) ?? []);
  }

  /** Returns a plan with its state; undefined if missing or unreadable. `id` can be any text. Never rejects. */
  async get(id: string): Promise<SavedPlan | undefined> {
    if (parsePlanId(toPlanName(id)) === undefined) return undefined;
    const plan = parsePlan(await this.read(this.getPath(id)));
    return plan?.id === id ? { plan, state: await this.readState(plan) } : undefined;
  }

  /** Returns a plan with its current state. Throws {@link AgentError} if the plan doesn't exist or can't be read. */
  async require(id: string): Promise<SavedPlan> {
    const saved = await this.get(id);
    if (saved) return saved;
    await this.listIds().catch(throwNotRead);
    throw new AgentError('notFound', 'There is no such plan.');
  }

  /**
   * Records a person's decision on a proposed plan. Throws {@link AgentError} if the plan doesn't exist or has expired,
   * if it was already decided on in this or another program, or if the decision can't be written.
   */
  async decide(id: string, kind: PlanDecision['kind'], by: string): Promise<TransferPlan> {
    const saved = await this.require(id);
    requireProposed(saved);
    const decision: PlanDecision = { kind, by, at: this.clock.now() };
    if (await this.write(this.getPath(id, 'decision'), decision)) return saved.plan;
    const { state } = (await this.get(id)) ?? saved;
    throw createDecidedError(id, state);
  }

  /** Records the transfer of a plan. Only logs a failure, because the transfer's record also names the plan. */
  async recordTransfer(id: string, transferKey: string): Promise<void> {
    const outcome: PlanOutcome = { transferKey, at: this.clock.now() };
    await this.createFile(this.getPath(id, 'outcome'), outcome).catch((error: unknown) => {
      this.log.warn(`The transfer of plan ${id} could not be recorded: ${getErrorCode(error)}`);
    });
  }

  /** Lets a person decide again on the plan of a transfer of which nothing was sent. Never rejects. */
  async reopen(unsent: Transfer): Promise<void> {
    const { ledgerFolder, clock, log } = this;
    await withdrawDecision(ledgerFolder, unsent, { clock, log });
  }

  private async readState({ id, expiresAt }: TransferPlan): Promise<PlanState> {
    const decision = parseDecision(await this.read(this.getPath(id, 'decision')));
    if (!decision) return { kind: this.clock.now() >= expiresAt ? 'expired' : 'proposed' };
    const outcome = parseOutcome(await this.read(this.getPath(id, 'outcome')));
    return outcome ? { kind: 'submitted', by: decision.by, ...outcome } : decision;
  }

  /** Creates a complete file. Resolves to false if it exists. Throws {@link AgentError} if it can't be written. */
  private async write(path: string, content: object): Promise<boolean> {
    return await this.createFile(path, content).catch(throwNotSaved);
  }

  /** Creates a file with its complete content. Resolves to false if the file already exists. */
  private async createFile(path: string, content: object): Promise<boolean> {
    await createFolder(this.folder, 0o700);
    return await createFileExclusively(path, `${JSON.stringify(content)}\n`, true);
  }

  /** Reads a file. Returns undefined if it is missing, and an empty string (damaged) if it can't be read. */
  private async read(path: string): Promise<string | undefined> {
    try {
      return await readRegularFile(path, maxPlanBytes);
    } catch (error) {
      if (isMissing(error)) return undefined;
      this.log.warn(`A plan or its decision could not be read: ${getErrorCode(error)}`);
      return '';
    }
  }

  /**
   * Deletes old plans. `saved` is sorted from newest to oldest. Deletes a plan's file before its decision, because a
   * plan without a decision counts as undecided.
   */
  private async purge(saved: readonly SavedPlan[]): Promise<void> {
    const before = this.clock.now() - retentionMs;
    const isOld = ({ plan, state }: SavedPlan, index: number): boolean =>
      plan.expiresAt < before || (index >= maxSaved - 1 && state.kind !== 'proposed');
    for (const { plan } of saved.filter(isOld)) {
      const paths = [this.getPath(plan.id), this.getPath(plan.id, 'decision'), this.getPath(plan.id, 'outcome')];
      for (const path of paths) await rm(path, { force: true });
    }
  }

  private getPath(id: string, part?: PlanPart): string {
    return join(this.folder, toPlanName(id, part));
  }
}

/** Throws {@link AgentError} unless a plan awaits a decision. */
export function requireProposed({ plan, state }: SavedPlan): void {
  if (state.kind === 'expired')
    throw new AgentError('planExpired', `Plan ${plan.id} has expired. Plan the transfer again.`);
  if (state.kind !== 'proposed') throw createDecidedError(plan.id, state);
}

function createDecidedError(id: string, { kind }: PlanState): AgentError {
  const declined = `Plan ${id} was declined by the user. Don't propose it again unless the user asks for it.`;
  const confirmed = `Plan ${id} was already confirmed. Check it with transfer_status; don't plan it again.`;
  return new AgentError('planDecided', kind === 'declined' ? declined : confirmed);
}

function throwNotRead(error: unknown): never {
  throw new AgentError('notRead', `The plans of agents can't be read (${getErrorCode(error)}).`);
}

function throwNotSaved(error: unknown): never {
  throw new AgentError('notSaved', `The plan or its decision could not be saved (${getErrorCode(error)}).`);
}
