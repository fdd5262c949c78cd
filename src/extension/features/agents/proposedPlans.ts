import type { PlanStore } from '../../../core/agents/planStore.ts';
import type { PlanState, SavedPlan, TransferPlan } from '../../../core/agents/transferPlan.ts';
import type { Clock } from '../../../core/util/clock.ts';
import { Emitter, Lifetime, type Disposable } from '../../../core/util/lifetime.ts';
import type { Logger } from '../../../core/util/logger.ts';

interface ProposedPlansDependencies {
  readonly ledgerFolder: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * A plan that no longer awaits a decision, and its state. The state is undefined if the plan's file no longer exists or
 * the plans could not be read.
 */
interface ClosedPlan {
  readonly plan: TransferPlan;
  readonly state: PlanState | undefined;
}

/** Lists the transfers that agents of all programs propose. Reports those decided or expired. */
export class ProposedPlans implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly dependencies: ProposedPlansDependencies;
  private readonly changed = this.lifetime.track(new Emitter<void>());
  private readonly closed = this.lifetime.track(new Emitter<ClosedPlan>());
  private opened: Promise<PlanStore> | undefined;
  private plans: readonly TransferPlan[] = [];
  private refreshing: Promise<void> = Promise.resolve();
  private expiry: Disposable | undefined;

  readonly onDidChange = this.changed.event;
  /** Fires when a plan no longer awaits a decision. */
  readonly onDidClose = this.closed.event;

  constructor(dependencies: ProposedPlansDependencies) {
    this.dependencies = dependencies;
    this.lifetime.track({ dispose: () => this.expiry?.dispose() });
  }

  /** Returns the plans that await a decision, newest first. */
  getAll(): readonly TransferPlan[] {
    return this.plans;
  }

  /** Returns the plan with this ID if it awaits a decision; otherwise, undefined. */
  get(id: string): TransferPlan | undefined {
    return this.plans.find((plan) => plan.id === id);
  }

  /** Returns the plan store. On first use, opens it and starts watching its folder. */
  async openStore(): Promise<PlanStore> {
    return await (this.opened ??= this.open());
  }

  /** Reloads the plans. Never rejects. */
  async refresh(): Promise<void> {
    this.refreshing = this.refreshing.then(() => this.read()).catch((error: unknown) => this.handleFailure(error));
    await this.refreshing;
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private async open(): Promise<PlanStore> {
    const { ledgerFolder, clock, log } = this.dependencies;
    const { PlanStore } = await import('../../../core/agents/planStore.ts');
    const store = this.lifetime.track(new PlanStore(ledgerFolder, clock, log));
    this.lifetime.track(store.onDidChange(() => void this.refresh()));
    await store.start();
    return store;
  }

  private async read(): Promise<void> {
    const store = await this.openStore();
    const saved = await store.list();
    const before = this.plans;
    this.plans = saved.filter(({ state }) => state.kind === 'proposed').map(({ plan }) => plan);
    this.watchExpiry();
    if (before.map(getId).join() === this.plans.map(getId).join()) return;
    this.changed.fire();
    this.reportClosed(before, saved);
  }

  private reportClosed(before: readonly TransferPlan[], saved: readonly SavedPlan[]): void {
    for (const plan of before.filter(({ id }) => !this.get(id)))
      this.closed.fire({ plan, state: saved.find((one) => one.plan.id === plan.id)?.state });
  }

  private watchExpiry(): void {
    this.expiry?.dispose();
    if (this.plans.length === 0) return;
    const { clock } = this.dependencies;
    const firstEnd = Math.min(...this.plans.map(({ expiresAt }) => expiresAt));
    this.expiry = clock.after(Math.max(0, firstEnd - clock.now()), () => void this.refresh());
  }

  /** Logs why the plans could not be read, but still removes the expired ones. */
  private handleFailure(error: unknown): void {
    const { log, clock } = this.dependencies;
    log.warn(`The plans of agents could not be read: ${String(error)}`);
    const before = this.plans;
    this.plans = before.filter(({ expiresAt }) => expiresAt > clock.now());
    this.watchExpiry();
    if (this.plans.length === before.length) return;
    this.changed.fire();
    this.reportClosed(before, []);
  }
}

function getId({ id }: TransferPlan): string {
  return id;
}
