import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../core/util/clock.ts';
import { createFolder } from '../../core/util/createFolder.ts';
import { writeFileAtomically } from '../../core/util/durableFiles.ts';
import { isMissing } from '../../core/util/errorFacts.ts';
import { runUnderLock } from '../../core/util/fileLock.ts';
import { isJsonObject } from '../../core/util/json.ts';
import { Emitter } from '../../core/util/lifetime.ts';
import type { Logger } from '../../core/util/logger.ts';
import { isPastVerification, type PastVerification } from '../../core/verification/pastVerification.ts';
import { isReportTable, type ReportTable } from '../../core/verification/reportRows.ts';

interface EditorState {
  get(name: string): unknown;
  update(name: string, value: undefined): PromiseLike<void>;
}

interface StateFilesDependencies {
  readonly folder: string;
  /** The editor's state, where version 0.1 stored these values. */
  readonly editorState: EditorState;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Stores small JSON values, each in its own file (D45: store before showing). The editor writes its own state to disk
 * with a delay, so a window that reloads too soon loses the change. With this class, a value is on disk when the call
 * resolves. No method rejects: a value that can't be written stays in memory until the window closes.
 */
export class StateFiles {
  private readonly dependencies: StateFilesDependencies;
  /** The last write of each value. The next write of the value waits for it. */
  private readonly writes = new Map<string, Promise<void>>();
  private readonly unsaved = new Map<string, unknown>();
  private readonly reported = new Set<string>();

  constructor(dependencies: StateFilesDependencies) {
    this.dependencies = dependencies;
  }

  /**
   * Returns a value that couldn't be written, or else the one in its file or, without a file, in the editor's state;
   * undefined if the file can't be read or is damaged. Doesn't wait for a running write.
   */
  async read(name: string): Promise<unknown> {
    return (await this.tryToRead(name))?.value;
  }

  async write(name: string, value: unknown): Promise<void> {
    await this.runInTurn(name, async () => await this.store(name, value));
  }

  /**
   * Updates a value, if possible under a lock that excludes other windows. `change` may be called twice. If the file
   * can't be read, leaves the value unchanged, because writing it would discard the existing content. `change` can be
   * asynchronous, for example to write another value first.
   */
  async update(name: string, change: (value: unknown) => unknown): Promise<void> {
    const { folder, clock } = this.dependencies;
    await this.runInTurn(name, async () => {
      const store = async (): Promise<void> => {
        const current = await this.tryToRead(name);
        if (current) await this.store(name, await change(current.value));
      };
      try {
        await createFolder(folder, 0o700);
        await runUnderLock(join(folder, `${name}.lock`), clock, store);
      } catch {
        // Without the lock, the worst case is that another window's concurrent change is lost.
        await store();
      }
    });
  }

  /** Reads a value. Returns undefined if the file can't be read, and `{ value: undefined }` if the file is damaged. */
  private async tryToRead(name: string): Promise<{ readonly value: unknown } | undefined> {
    if (this.unsaved.has(name)) return { value: this.unsaved.get(name) };
    try {
      const text = await this.readText(name);
      return { value: text === undefined ? this.dependencies.editorState.get(name) : JSON.parse(text) };
    } catch (error) {
      this.report(name, 'read', error);
      return error instanceof SyntaxError ? { value: undefined } : undefined;
    }
  }

  private async runInTurn(name: string, action: () => Promise<void>): Promise<void> {
    const write = (this.writes.get(name) ?? Promise.resolve()).then(action);
    this.writes.set(name, write);
    await write;
  }

  private async store(name: string, value: unknown): Promise<void> {
    try {
      await createFolder(this.dependencies.folder, 0o700);
      await writeFileAtomically(this.getPath(name), JSON.stringify(value));
    } catch (error) {
      this.unsaved.set(name, value);
      this.report(name, 'written', error);
      return;
    }
    this.unsaved.delete(name);
    await this.clearEditorState(name);
  }

  /** Removes the value stored by version 0.1, so that the value doesn't reappear if the file is deleted. */
  private async clearEditorState(name: string): Promise<void> {
    const { editorState } = this.dependencies;
    if (editorState.get(name) === undefined) return;
    try {
      await editorState.update(name, undefined);
    } catch (error) {
      this.report(name, 'moved', error);
    }
  }

  private async readText(name: string): Promise<string | undefined> {
    try {
      return await readFile(this.getPath(name), 'utf8');
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  private getPath(name: string): string {
    return join(this.dependencies.folder, `${name}.json`);
  }

  /** Logs a failure unless the same operation on the same value has failed before. */
  private report(name: string, operation: 'read' | 'written' | 'moved', error: unknown): void {
    const failure = [name, operation].join(' ');
    if (this.reported.has(failure)) return;
    this.reported.add(failure);
    this.dependencies.log.warn(`The saved state "${name}" could not be ${operation}: ${String(error)}`);
  }
}

const stateName = 'verifications';
const maxTransfers = 500;
const indexName = 'verificationReports';
const maxReports = 20;
const slots = Array.from({ length: maxReports }, (_, slot) => slot);
/** Maximum length of a stored report's text in characters: thousands of files that aren't intact. */
const maxReportLength = 500_000;
/** Maximum number of rows of a stored table. A report with more is stored without its table. */
const maxReportRows = 20_000;

/** The report on a verification. */
export interface StoredReport {
  /** The key of the verified transfer; absent if the transfer is unknown. */
  readonly key?: string;
  /** Identifies a report on an unknown transfer; absent in reports of earlier versions. */
  readonly id?: string;
  readonly text: string;
  /** The IDs of the missing or changed files, which can be transferred again. */
  readonly resend: readonly string[];
  /** Absent in reports of earlier versions, and if it has too many rows. */
  readonly table?: ReportTable;
}

/** A stored report's entry in the index, which pages read instead of the reports. */
interface ReportEntry {
  readonly key?: string;
  readonly id?: string;
  /** Names the file that contains the report. The next report reuses the slot of one that was replaced or removed. */
  readonly slot: number;
  readonly canResend: boolean;
}

/** Stores the last verification of each transfer and the newest reports (D45: store before showing). */
export class VerificationHistory {
  private readonly state: StateFiles;
  private readonly changed = new Emitter<string>();
  /** The last report that is too long to be stored. */
  private unstored: StoredReport | undefined;
  private isUnstoredNewest = false;

  /** Fires with the key of a transfer that was verified in this window. */
  readonly onDidChange = this.changed.event;

  constructor(state: StateFiles) {
    this.state = state;
  }

  /** Returns a transfer's last verification; undefined if none is stored. */
  async get(key: string): Promise<PastVerification | undefined> {
    return (await this.getAll()).get(key);
  }

  /** Returns the last verifications of all transfers by their keys. */
  async getAll(): Promise<ReadonlyMap<string, PastVerification>> {
    return readAll(await this.state.read(stateName));
  }

  async record(key: string, verification: PastVerification): Promise<void> {
    await this.state.update(stateName, (stored) => {
      const others = [...readAll(stored)].filter(([other]) => other !== key);
      return Object.fromEntries([...others, [key, verification]].slice(-maxTransfers));
    });
    this.changed.fire(key);
  }

  /**
   * Returns the index entry of the last report on a transfer, of the report with an ID or, without a key or ID, of all,
   * if any.
   */
  async findReport(key?: string): Promise<ReportEntry | undefined> {
    return readIndex(await this.state.read(indexName)).findLast((one) => key === undefined || getReportId(one) === key);
  }

  /** Returns the report that {@link findReport} finds, or one of this window that is too long to be stored. */
  async getReport(key?: string): Promise<StoredReport | undefined> {
    const entry = await this.findReport(key);
    const { unstored } = this;
    // A report that was too long has removed the entry of an earlier one, so an entry is newer.
    const isUnstored = key === undefined ? this.isUnstoredNewest : !entry && getReportId(unstored ?? {}) === key;
    if (unstored && isUnstored) return unstored;
    const report = entry && toStoredReport(await this.state.read(toReportName(entry.slot)));
    return report && getReportId(report) === getReportId(entry) ? report : undefined;
  }

  /**
   * Stores a report and replaces an earlier one on the same transfer. Removes it if the new one is too long. Writes the
   * report to a free slot before the index names it, so that a crash in between loses no earlier report.
   */
  async recordReport(report: StoredReport): Promise<void> {
    const { key, id, text, resend, table } = report;
    const isTooLong = text.length > maxReportLength;
    this.isUnstoredNewest = isTooLong;
    if (isTooLong) this.unstored = report;
    else if (this.unstored?.key === key) this.unstored = undefined;
    const ids = { ...(key !== undefined && { key }), ...(id !== undefined && { id }) };
    const hasTable = table !== undefined && table.rows.length <= maxReportRows;
    await this.state.update(indexName, async (index) => {
      const all = readIndex(index);
      const others = all.filter((one) => key === undefined || one.key !== key);
      if (isTooLong) return others;
      const kept = others.slice(1 - maxReports);
      const slot = findFreeSlot(all) ?? findFreeSlot(kept) ?? 0;
      await this.state.write(toReportName(slot), { ...ids, text, resend, ...(hasTable && { table }) });
      return [...kept, { slot, canResend: resend.length > 0, ...ids }];
    });
  }
}

/** Returns the key of a report's transfer or, if that is unknown, the report's own ID. */
export function getReportId({ key, id }: Partial<StoredReport>): string | undefined {
  return key ?? id;
}

function findFreeSlot(entries: readonly ReportEntry[]): number | undefined {
  return slots.find((slot) => entries.every((one) => one.slot !== slot));
}

function toReportName(slot: number): string {
  return `verificationReport${slot}`;
}

function readIndex(stored: unknown): readonly ReportEntry[] {
  return Array.isArray(stored) ? stored.filter(isReportEntry) : [];
}

function isReportEntry(value: unknown): value is ReportEntry {
  if (!isJsonObject(value)) return false;
  const { key = '', id = '', slot, canResend } = value;
  const areIds = typeof key === 'string' && typeof id === 'string';
  return areIds && typeof slot === 'number' && slots.includes(slot) && typeof canResend === 'boolean';
}

function toStoredReport(value: unknown): StoredReport | undefined {
  if (!isJsonObject(value)) return undefined;
  const { key, id, text, resend, table } = value;
  if (!isTextList(resend) || typeof text !== 'string') return undefined;
  return {
    ...(typeof key === 'string' && { key }),
    ...(typeof id === 'string' && { id }),
    text,
    resend,
    ...(isReportTable(table) && { table }),
  };
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function readAll(stored: unknown): Map<string, PastVerification> {
  const all = new Map<string, PastVerification>();
  for (const [key, value] of Object.entries(isJsonObject(stored) ? stored : {}))
    if (isPastVerification(value)) all.set(key, value);
  return all;
}
