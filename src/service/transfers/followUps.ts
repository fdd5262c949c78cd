import * as nodePath from 'node:path';
import type { TransferRequest, TransferStatusDocument } from '../../contract/contract.ts';
import { settlesWithin, type Clock } from '../../core/util/clock.ts';
import { formatErrorStack, getErrorCode } from '../../core/util/errorFacts.ts';
import type { FollowUp } from '../../core/util/followUp.ts';
import { Emitter, type Disposable } from '../../core/util/lifetime.ts';
import type { Logger } from '../../core/util/logger.ts';
import type { ServedDatabases } from '../catalog/servedDatabases.ts';
import { findJob, SlurmJobError, submitJob } from '../cluster/slurmJobs.ts';
import { FollowUpError, findVariables, readRequestedFollowUp, requireStartable } from './followUpPlace.ts';
import type { StoredFollowUp } from './followUpTable.ts';
import { formatTransferMessage, type TransferJournal, type TransferRecord } from './journal.ts';
import { ProgramOutputs, startProgram } from './programStart.ts';

interface FollowUpContext {
  readonly journal: TransferJournal;
  readonly databases: ServedDatabases;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The folder of the service, which receives the output of programs. */
  readonly dataFolder: string;
  /** False if others than the user may submit transfers. */
  readonly isAllowed: boolean;
}

const retryMs = 5_000;
const pruneEveryMs = 3_600_000;
/** Time that `sbatch` has to answer while the service stops, less than the service has for that. */
const lastAnswerMs = 2_000;

/**
 * Starts what follows transfers, each once (D72: follow-ups). The journal has the intent before the start, and the
 * result after it. If the service was interrupted between the two, a job is found again by its name. Anything else may
 * have been started, and isn't started again.
 */
export class FollowUps {
  private readonly options: FollowUpContext;
  private readonly outputs: ProgramOutputs;
  /** The work on follow-ups that wait, by transfer. */
  private readonly working = new Map<string, Promise<void>>();
  private readonly retries = new Map<string, Disposable>();
  private readonly programs = new Set<string>();
  private readonly closing = new AbortController();
  /** Ends submissions to Slurm that haven't returned. */
  private readonly ending = new AbortController();
  /** Changes that couldn't be written to the journal. */
  private readonly unwritten = new Map<string, StoredFollowUp>();
  private readonly activity = new Emitter<void>();
  private pruning: Disposable | undefined;

  /** Fires when {@link activeCount} may have changed. */
  readonly onDidChangeActivity = this.activity.event;

  constructor(options: FollowUpContext) {
    this.options = options;
    this.outputs = new ProgramOutputs(options.dataFolder);
  }

  /** True if submissions may have follow-ups. */
  get isAllowed(): boolean {
    return this.options.isAllowed;
  }

  /** Number of follow-ups that are being started, or are programs that run. */
  get activeCount(): number {
    return new Set([...this.working.keys(), ...this.retries.keys(), ...this.programs]).size;
  }

  /** Continues the follow-ups of transfers that have succeeded. */
  start(): void {
    const { followUps } = this.options.journal;
    for (const [transferId, followUp] of followUps.list('started'))
      this.write(transferId, { ...followUp, problem: 'the service was stopped meanwhile' });
    for (const transferId of followUps.list('waiting').keys()) this.begin(transferId);
    this.pruneOutputs();
  }

  private pruneOutputs(): void {
    void this.outputs.prune((transferId) => this.options.journal.followUps.get(transferId) !== undefined);
    this.pruning = this.options.clock.after(pruneEveryMs, () => this.pruneOutputs());
  }

  /** Reads and checks the follow-up of a submission. Throws `HttpProblem` if it isn't accepted. */
  async readRequest(request: TransferRequest): Promise<FollowUp | undefined> {
    return await readRequestedFollowUp(request, this.options.databases, this.options.isAllowed);
  }

  /** Starts the follow-up of a transfer if the journal says that the transfer has succeeded and it isn't started yet. */
  begin(transferId: string): void {
    const record = this.findDue(transferId);
    if (this.isClosed || record === undefined || this.working.has(transferId)) return;
    this.retries.delete(transferId);
    const work = this.work(record)
      .catch((error: unknown) => this.logFailure(error))
      .finally(() => {
        this.working.delete(transferId);
        this.activity.fire();
      });
    this.working.set(transferId, work);
    this.activity.fire();
  }

  private findDue(transferId: string): TransferRecord | undefined {
    try {
      const record = this.options.journal.get(transferId);
      const isDue = record?.status === 'succeeded' && this.get(transferId)?.state === 'waiting';
      return isDue ? record : undefined;
    } catch (error) {
      this.options.logger.error(`The journal cannot be read: ${String(error)}`);
      return undefined;
    }
  }

  /**
   * Gives up a follow-up that waits for Slurm. Returns `starting` if it may have been started, and `ended` if there is
   * none or the result is known. Throws if the journal cannot be written.
   */
  cancel(transferId: string): 'accepted' | 'starting' | 'ended' {
    const followUp = this.findDue(transferId) && this.get(transferId);
    if (followUp === undefined) return 'ended';
    if (followUp.isStarting) return 'starting';
    const canceled = { ...followUp, state: 'notStarted', problem: 'canceled' } as const;
    // Written first, because the caller acknowledges the change.
    this.options.journal.followUps.put(transferId, canceled);
    this.unwritten.delete(transferId);
    this.retries.get(transferId)?.dispose();
    this.retries.delete(transferId);
    this.report(transferId, canceled);
    this.activity.fire();
    return 'accepted';
  }

  /**
   * Adds a follow-up to the status of its transfer. A transfer has succeeded only once its follow-up was started, or is
   * known not to be, so that clients learn of it.
   */
  describe(document: TransferStatusDocument, record: TransferRecord): TransferStatusDocument {
    const followUp = record.followUp && this.get(record.id);
    if (followUp === undefined) return document;
    const { kind, path, state, job, exitCode, output, problem } = followUp;
    const then = { [kind]: path, state, job, exitCode, output, problem };
    if (record.status === 'failed') {
      const end = record.isCancelRequested ? 'the transfer was canceled' : 'the transfer failed';
      return { ...document, then: { ...then, state: 'notStarted', problem: end } };
    }
    if (record.status !== 'succeeded' || state !== 'waiting') return { ...document, then };
    const text = `all files have arrived; waiting to start ${nodePath.basename(path)}`;
    const message = formatTransferMessage(record.id, problem === undefined ? text : `${text}: ${problem}`);
    return { ...document, status: problem === undefined ? 'finalizing' : 'inactive', message, then };
  }

  /** Stops starting follow-ups. A job that is being submitted for seconds is looked for at the next start. */
  async close(): Promise<void> {
    this.closing.abort();
    this.pruning?.dispose();
    for (const retry of this.retries.values()) retry.dispose();
    this.activity.dispose();
    const work = Promise.all(this.working.values());
    await settlesWithin(this.options.clock, lastAnswerMs, work);
    this.ending.abort();
    await work;
  }

  private get isClosed(): boolean {
    return this.closing.signal.aborted;
  }

  private get(transferId: string): StoredFollowUp | undefined {
    return this.unwritten.get(transferId) ?? this.options.journal.followUps.get(transferId);
  }

  private async work(record: TransferRecord): Promise<void> {
    const followUp = this.get(record.id);
    if (followUp === undefined) return;
    try {
      await (followUp.kind === 'sbatch' ? this.submit(record, followUp) : this.run(record, followUp));
    } catch (error) {
      this.handleFailure(record.id, error, followUp.isStarting === true);
    }
  }

  private async submit(record: TransferRecord, followUp: StoredFollowUp): Promise<void> {
    const name = `dts-then-${record.id}`;
    // Also shows that Slurm responds, so that it's seldom unclear whether it has received the job.
    const found = await findJob(name, this.closing.signal);
    if (found !== undefined) this.finish(record.id, { ...followUp, state: 'submitted', job: found });
    else if (followUp.isStarting) this.finish(record.id, { ...followUp, state: 'unclear' });
    else {
      const variables = await this.prepare(record, followUp);
      const job = await submitJob({ name, script: followUp.path, variables }, this.ending.signal);
      this.finish(record.id, { ...followUp, state: 'submitted', job });
    }
  }

  private async run(record: TransferRecord, followUp: StoredFollowUp): Promise<void> {
    const { id } = record;
    if (followUp.isStarting) {
      this.finish(id, { ...followUp, state: 'unclear' });
      return;
    }
    const file = await this.outputs.open(id).catch((error: unknown) => {
      throw new FollowUpError(`its output can't be written (${getErrorCode(error)})`);
    });
    try {
      const variables = await this.prepare(record, followUp);
      const { ended } = await startProgram(followUp.path, variables, file);
      const started = { ...followUp, state: 'started', output: this.outputs.getFile(id) } as const;
      this.finish(id, started);
      this.follow(id, started, ended);
    } finally {
      await file.close();
    }
  }

  private async prepare(record: TransferRecord, followUp: StoredFollowUp): Promise<Readonly<Record<string, string>>> {
    if (!this.options.isAllowed)
      throw new FollowUpError('the service starts nothing any more (followUps in its configuration)');
    await requireStartable(followUp);
    const variables = await findVariables(record, this.options.databases);
    const { journal } = this.options;
    if (this.isClosed) throw new FollowUpError('closed');
    if (this.get(record.id)?.state !== 'waiting') throw new FollowUpError('canceled');
    journal.followUps.put(record.id, { ...followUp, problem: undefined, isStarting: true });
    this.unwritten.delete(record.id);
    await journal.flush();
    return variables;
  }

  private follow(
    id: string,
    started: StoredFollowUp,
    ended: Promise<{ readonly exitCode?: number; readonly signal?: string }>,
  ): void {
    this.programs.add(id);
    void ended.then(({ exitCode, signal }) => {
      this.programs.delete(id);
      if (this.isClosed) return;
      const problem = signal === undefined ? undefined : `ended by ${signal}`;
      this.finish(id, { ...started, state: 'ended', exitCode, problem });
      this.activity.fire();
    });
  }

  private handleFailure(id: string, error: unknown, wasInterrupted: boolean): void {
    const followUp = this.get(id);
    if (followUp?.state !== 'waiting') return;
    // The next start of the service decides, unless this one has tried to start it.
    if (this.isClosed && (wasInterrupted || followUp.isStarting !== true)) return;
    const isExpected = error instanceof SlurmJobError || error instanceof FollowUpError;
    if (!isExpected) this.logFailure(error);
    if (error instanceof SlurmJobError && error.kind !== 'refused') {
      const isStarting = wasInterrupted || (followUp.isStarting === true && error.kind === 'unclear');
      this.retryLater(id, { ...followUp, isStarting, problem: `Slurm can't be used: ${error.message}` });
      return;
    }
    const isUnclear = wasInterrupted || (followUp.isStarting === true && !isExpected);
    const problem = error instanceof Error ? error.message : String(error);
    this.finish(id, { ...followUp, state: isUnclear ? 'unclear' : 'notStarted', problem });
  }

  private logFailure(error: unknown): void {
    this.options.logger.error(`A follow-up failed: ${formatErrorStack(error)}`);
  }

  private retryLater(id: string, followUp: StoredFollowUp): void {
    this.write(id, followUp);
    if (this.isClosed) return;
    this.retries.set(
      id,
      this.options.clock.after(retryMs, () => this.begin(id)),
    );
  }

  private finish(id: string, followUp: StoredFollowUp): void {
    this.write(id, { ...followUp, isStarting: undefined });
    this.report(id, followUp);
  }

  private report(id: string, followUp: StoredFollowUp): void {
    const { path, state, job = '', problem = '' } = followUp;
    const details = [state, job, problem].filter(Boolean).join(' ');
    this.options.logger.info(formatTransferMessage(id, `${nodePath.basename(path)}: ${details}`));
  }

  private write(id: string, followUp: StoredFollowUp): void {
    try {
      this.options.journal.followUps.put(id, followUp);
      this.unwritten.delete(id);
    } catch (error) {
      this.unwritten.set(id, followUp);
      this.options.logger.error(`The journal cannot be written: ${String(error)}`);
    }
  }
}
