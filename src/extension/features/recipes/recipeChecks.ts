import { localLinkService } from '../../../core/model/link.ts';
import { findDatabase, findRecipeConnection, type ServiceFacts } from '../../../core/recipes/parseRecipe.ts';
import type { LockReadResult, RecipeLock } from '../../../core/recipes/recipeLock.ts';
import type { Recipe } from '../../../core/recipes/recipeSchema.ts';
import type { Clock } from '../../../core/util/clock.ts';
import { Emitter, type Disposable } from '../../../core/util/lifetime.ts';
import { localConnectionId } from '../../editor/machine.ts';
import type { CommandServices } from '../services.ts';
import type { RecipeStatus } from './recipeTree.ts';

/** Maximum age of a recipe's status, in milliseconds. An older status is determined again when it is shown. */
const maxAgeMs = 60 * 60_000;
/**
 * Maximum age of an unknown status, in milliseconds. A status is unknown, for example, if the recipe's service isn't
 * connected or the workspace isn't trusted.
 */
const maxUnknownAgeMs = 60_000;

/** The status of a recipe that can't be compared. */
export const unknownStatus: RecipeStatus = { description: '', icon: 'beaker' };

/**
 * Returns the lock for comparing a recipe in the background. Returns undefined if the lock isn't valid, or if the
 * workspace isn't trusted, because a comparison sends the recipe's search or the values in its table to the service.
 */
export function getLockToCheck(lock: LockReadResult, isTrusted: boolean): RecipeLock | undefined {
  return isTrusted && lock.kind === 'valid' ? lock.lock : undefined;
}

interface CheckedStatus {
  readonly status: RecipeStatus;
  readonly checkedAt: number;
  /** True if the recipe, its lock, the open connections or the workspace trust has changed since the check. */
  readonly isOutdated?: boolean;
}

/** Stores the last known status of each recipe, and checks one recipe at a time. */
export class RecipeChecks implements Disposable {
  private readonly clock: Clock;
  private readonly checked = new Map<string, CheckedStatus>();
  private readonly changed = new Emitter<void>();
  private queue: Promise<void> = Promise.resolve();
  private running: string | undefined;
  private isDisposed = false;

  readonly onDidChange = this.changed.event;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /**
   * Returns a recipe's last known status. If this status is missing or too old, determines the current one with `find`
   * in the background. Fires `onDidChange` if the status may have changed.
   */
  get(key: string, find: () => Promise<RecipeStatus>): RecipeStatus {
    const known = this.checked.get(key);
    const now = this.clock.now();
    if (known && now - known.checkedAt < getMaxAge(known)) return known.status;
    const status = known?.status ?? unknownStatus;
    this.checked.set(key, { ...known, status, checkedAt: now });
    this.queue = this.queue.then(() => this.check(key, find));
    return status;
  }

  /** Returns a recipe's last status; undefined if there is none or it is outdated. */
  getCurrent(key: string): RecipeStatus | undefined {
    const known = this.checked.get(key);
    return known?.isOutdated ? undefined : known?.status;
  }

  /** Marks the status of a recipe as outdated after the recipe or its lock has changed. */
  forget(key: string): void {
    this.expire(key);
    this.changed.fire();
  }

  /** Marks unknown statuses and a running check as outdated after connections or the workspace trust changed. */
  forgetUnknown(): void {
    const unknown = [...this.checked].filter(([, { status }]) => status === unknownStatus).map(([key]) => key);
    const keys = new Set([...unknown, ...(this.running === undefined ? [] : [this.running])]);
    keys.forEach((key) => this.expire(key));
    if (keys.size > 0) this.changed.fire();
  }

  dispose(): void {
    this.isDisposed = true;
    this.changed.dispose();
  }

  private expire(key: string): void {
    const known = this.checked.get(key);
    if (known) this.checked.set(key, { ...known, checkedAt: -Infinity, isOutdated: true });
  }

  private async check(key: string, find: () => Promise<RecipeStatus>): Promise<void> {
    if (this.isDisposed) return;
    this.running = key;
    const status = await find().catch(() => unknownStatus);
    this.running = undefined;
    const before = this.checked.get(key);
    if (!before) return;
    const { checkedAt, isOutdated } = before;
    const hasExpired = checkedAt === -Infinity;
    this.checked.set(key, { status, checkedAt, ...(hasExpired && { isOutdated: true }) });
    if (isOutdated || before.status.description !== status.description) this.changed.fire();
  }
}

function getMaxAge({ status }: CheckedStatus): number {
  return status === unknownStatus ? maxUnknownAgeMs : maxAgeMs;
}

type FactSources = Pick<CommandServices, 'settings' | 'connectionStore' | 'parameterFlow' | 'recipeFlow' | 'sessions'>;

/**
 * Returns the facts about a recipe's service. Returns undefined unless the service's connection is active, its
 * databases are listed, and the workspace is trusted. Never opens a connection, and sends no requests in an untrusted
 * workspace.
 */
export async function loadServiceFacts(
  services: FactSources,
  { service, from }: Recipe,
  isTrusted: boolean,
): Promise<ServiceFacts | undefined> {
  if (!isTrusted) return undefined;
  const { connectionStore, parameterFlow, recipeFlow, sessions } = services;
  const id = service === undefined ? sessions.active?.connection.id : findConnectionId(services, service);
  const { databases, isLoading } = connectionStore.listing;
  if (id === undefined || sessions.active?.connection.id !== id || isLoading || databases.length === 0)
    return undefined;
  const database = findDatabase(databases, from.database);
  const isNeeded = database !== undefined && from.search?.specific !== undefined;
  const listing = isNeeded ? await parameterFlow.load(database.name) : undefined;
  const missingIds = recipeFlow.missingIds.get(id, database?.name ?? '');
  return { databases, missingIds, ...(listing && !listing.reason && { parameters: Object.keys(listing.parameters) }) };
}

/** Returns the ID of the connection that a recipe refers to by name or address; undefined if there is none. */
export function findConnectionId({ settings }: Pick<CommandServices, 'settings'>, service: string): string | undefined {
  if (service === localLinkService) return localConnectionId;
  return findRecipeConnection(settings.connections, service)?.id;
}
