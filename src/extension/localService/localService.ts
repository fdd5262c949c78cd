import { Emitter, type Disposable } from '../../core/util/lifetime.ts';
import type { Lease, LeaseEnd, LeaseTerms, ServiceOptions } from './serviceLink.ts';
import { readServiceRecord, type LocalServiceAccess, type ServiceRecord } from './serviceRecord.ts';

interface LocalServiceDependencies extends ServiceOptions {
  /** Returns what the service serves and uses for this window. */
  getTerms(): Promise<LeaseTerms>;
}

/**
 * A change to the service: `started` means that this window started using it, `moved` that its address may have
 * changed, `stopped` that a user stopped it, and `ended` that this window lost it and could not reconnect.
 */
export type LocalServiceChange = 'started' | 'moved' | 'stopped' | 'ended';

interface ServiceUse {
  readonly access: LocalServiceAccess;
  readonly record: ServiceRecord;
  readonly lease: Lease;
  readonly terms: LeaseTerms;
}

const maxRestarts = 3;
const restartWindowMs = 60_000;
const maxAttempts = 3;

/** Connects this window to the per-user local service, which outlives the window (D29: shared service). */
export class LocalService implements Disposable {
  private readonly dependencies: LocalServiceDependencies;
  private current: ServiceUse | undefined;
  private connecting: Promise<LocalServiceAccess> | undefined;
  private stopping: Promise<void> | undefined;
  private renewing: Promise<void> = Promise.resolve();
  private restartsAt: readonly number[] = [];
  private isDisposed = false;
  private readonly changed = new Emitter<LocalServiceChange>();
  private readonly databasesChanged = new Emitter<void>();

  /** Fires when this window starts using the service, stops it, loses it, or reconnects to it. */
  readonly onDidChange = this.changed.event;
  /** Fires when the service's list of databases may have changed, because of this or another window. */
  readonly onDidChangeDatabases = this.databasesChanged.event;

  constructor(dependencies: LocalServiceDependencies) {
    this.dependencies = dependencies;
  }

  get isRunning(): boolean {
    return this.current !== undefined;
  }

  /**
   * Starts the service unless it is running. Resolves once the service serves this window's databases. Rejects with the
   * service's message if the service can't start, or with the reason if the service refuses a database.
   */
  async start(): Promise<LocalServiceAccess> {
    await this.waitForStop();
    return this.current?.access ?? (await this.connect('started'));
  }

  /** Updates what the service, if used, serves for this window, and its cluster: new lease, then end of the old. */
  async updateServedLocations(): Promise<void> {
    const turn = this.renewing.then(async () => await this.renew());
    this.renewing = turn.catch(() => undefined);
    await turn;
  }

  /** Starts a scan of a store, given the ID of its database (D62: stores through rclone). */
  async scan(databaseId: string): Promise<void> {
    const { scanDatabase } = await loadServiceCode();
    await scanDatabase(await this.start(), databaseId);
  }

  /** Returns the number of other windows that use the service; undefined if it isn't running or doesn't respond. */
  async countOtherWindows(): Promise<number | undefined> {
    const { findService, getServiceState } = await loadServiceCode();
    const running = this.current?.record ?? (await findService(this.dependencies.dataFolder));
    const state = running && (await getServiceState(running).catch(() => undefined));
    return state && state.leases - (this.current ? 1 : 0);
  }

  /**
   * Stops the service for all windows. Running transfers resume when the service starts again. Rejects if the service
   * is still running; this window then keeps using it.
   */
  async stop(): Promise<void> {
    this.stopping ??= this.stopService().finally(() => {
      this.stopping = undefined;
    });
    await this.stopping;
  }

  /** Ends this window's lease. The service keeps running for other windows and running transfers. */
  dispose(): void {
    this.isDisposed = true;
    this.current?.lease.dispose();
  }

  private async stopService(): Promise<void> {
    await this.connecting?.catch(() => undefined);
    const { findService, stopService } = await loadServiceCode();
    const { dataFolder } = this.dependencies;
    const record = this.current?.record ?? (await findService(dataFolder));
    if (!record) return;
    try {
      await stopService(record, false);
    } catch (error) {
      // A service that has exited in the meantime counts as stopped.
      if (await findService(dataFolder)) throw error;
    }
    this.current?.lease.dispose();
    this.current = undefined;
    this.changed.fire('stopped');
  }

  /** Waits until this window's attempt to stop the service, if any, has succeeded or failed. */
  private async waitForStop(): Promise<void> {
    await this.stopping?.catch(() => undefined);
  }

  private connect(change: LocalServiceChange): Promise<LocalServiceAccess> {
    this.connecting ??= this.connectNow(change).finally(() => {
      this.connecting = undefined;
    });
    return this.connecting;
  }

  private async connectNow(change: LocalServiceChange): Promise<LocalServiceAccess> {
    const [{ findOrStartService, Lease }, terms] = await Promise.all([loadServiceCode(), this.dependencies.getTerms()]);
    for (let attempt = 1; ; attempt += 1) {
      const record = await findOrStartService(this.dependencies);
      try {
        const access = { address: record.address, token: record.token };
        this.use({ access, record, lease: await Lease.start(record, terms), terms });
        this.changed.fire(change);
        this.applyLocationChanges();
        return access;
      } catch (error) {
        // An unused service may exit between being found and granting the lease.
        if (isLeaseRefused(error) || attempt === maxAttempts) throw error;
      }
    }
  }

  private use(service: ServiceUse): void {
    this.current = service;
    service.lease.onDidChangeDatabases(() => this.databasesChanged.fire());
    void service.lease.ended.then(async (end) => await this.handleLeaseEnd(service, end));
    if (this.isDisposed) service.lease.dispose();
  }

  /** Applies changes that were made to the served locations while the service was starting. */
  private applyLocationChanges(): void {
    this.updateServedLocations().catch((error: unknown) =>
      this.dependencies.log.error(`Could not apply the settings of the local service: ${String(error)}`),
    );
  }

  private async renew(): Promise<void> {
    await this.waitForStop();
    const { current } = this;
    if (!current) return;
    const terms = await this.dependencies.getTerms();
    if (JSON.stringify(terms) === JSON.stringify(current.terms)) return;
    const { Lease } = await loadServiceCode();
    const lease = await Lease.start(current.record, terms).catch(async (error: unknown) => {
      await this.waitForStop();
      // A service that was stopped in the meantime no longer serves anything for this window.
      if (this.current === current) throw error;
    });
    if (!lease || this.current !== current) {
      lease?.dispose();
      return;
    }
    this.use({ ...current, lease, terms });
    current.lease.dispose();
    this.databasesChanged.fire();
  }

  /** Reconnects if the service crashed or was replaced. Otherwise, reports that the service was stopped or lost. */
  private async handleLeaseEnd(service: ServiceUse, end: LeaseEnd): Promise<void> {
    // If this window is stopping the service, that normally ends the lease.
    await this.waitForStop();
    if (this.current !== service || this.isDisposed) return;
    this.current = undefined;
    try {
      if (await this.shouldRestart(end)) {
        await this.connect('moved');
        return;
      }
    } catch (error) {
      this.dependencies.log.error(`Could not restart the local service: ${String(error)}`);
    }
    this.changed.fire(end === 'stopped' ? 'stopped' : 'ended');
  }

  /**
   * Returns true if the service crashed or was replaced, unless it has restarted too often within a minute. The service
   * removes its record when it exits normally, but not when it crashes.
   */
  private async shouldRestart(end: LeaseEnd): Promise<boolean> {
    const { clock, log, dataFolder } = this.dependencies;
    if (end === 'stopped' || (end === 'lost' && !(await readServiceRecord(dataFolder)))) return false;
    const now = clock.now();
    const recentRestarts = this.restartsAt.filter((at) => now - at < restartWindowMs);
    if (recentRestarts.length >= maxRestarts) {
      log.error(`The local service ended ${maxRestarts + 1} times within a minute; not restarting it`);
      return false;
    }
    log.warn('The local service ended unexpectedly or was replaced; reconnecting');
    this.restartsAt = [...recentRestarts, now];
    return true;
  }
}

/** Loads the code for communicating with the service on first use, to keep startup fast. */
const loadServiceCode = async () => await import('./serviceLink.ts');

function isLeaseRefused(error: unknown): boolean {
  return error instanceof Error && error.name === 'LeaseRefused';
}
