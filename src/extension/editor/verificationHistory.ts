import { isPastVerification, type PastVerification } from '../../core/verification/pastVerification.ts';
import { Emitter } from '../../core/util/lifetime.ts';
import { isJsonObject } from '../../core/util/json.ts';
import type { StateFiles } from './stateFiles.ts';

const stateName = 'verifications';
const maxTransfers = 500;
const indexName = 'verificationReports';
const maxReports = 20;
const slots = Array.from({ length: maxReports }, (_, slot) => slot);
/** Maximum length of a stored report in characters: thousands of files that aren't intact. */
const maxReportLength = 500_000;

/** The report on a verification. */
export interface StoredReport {
  /** The key of the verified transfer; absent if the transfer is unknown. */
  readonly key?: string;
  readonly text: string;
  /** The IDs of the missing or changed files, which can be transferred again. */
  readonly resend: readonly string[];
}

/** A stored report's entry in the index, which pages read instead of the reports. */
interface ReportEntry {
  readonly key?: string;
  /** Names the file that contains the report. The next report reuses the slot of one that was replaced or removed. */
  readonly slot: number;
  readonly canResend: boolean;
}

/** Stores the last verification of each transfer and the newest reports (D45: store before showing). */
export class VerificationHistory {
  private readonly state: StateFiles;
  private readonly changed = new Emitter<string>();

  /** Fires with the key of a transfer that was verified in this window. */
  readonly onDidChange = this.changed.event;

  constructor(state: StateFiles) {
    this.state = state;
  }

  /** Returns a transfer's last verification; undefined if none is stored. */
  async get(key: string): Promise<PastVerification | undefined> {
    return readAll(await this.state.read(stateName)).get(key);
  }

  /** Records a transfer's verification and replaces any earlier one. */
  async record(key: string, verification: PastVerification): Promise<void> {
    await this.state.update(stateName, (stored) => {
      const others = [...readAll(stored)].filter(([other]) => other !== key);
      return Object.fromEntries([...others, [key, verification]].slice(-maxTransfers));
    });
    this.changed.fire(key);
  }

  /**
   * Returns the index entry of the last report on a transfer or, without a key, of the newest report; undefined if none
   * is stored.
   */
  async findReport(key?: string): Promise<ReportEntry | undefined> {
    return readIndex(await this.state.read(indexName)).findLast((one) => key === undefined || one.key === key);
  }

  /** Returns the last report on a transfer or, without a key, the newest report; undefined if none is stored. */
  async getReport(key?: string): Promise<StoredReport | undefined> {
    const entry = await this.findReport(key);
    const report = entry && (await this.state.read(toReportName(entry.slot)));
    return isStoredReport(report) && report.key === entry?.key ? report : undefined;
  }

  /** Stores a report and replaces an earlier one on the same transfer. Removes it if the new one is too long. */
  async recordReport(report: StoredReport): Promise<void> {
    const { key, text, resend } = report;
    const isTooLong = text.length > maxReportLength;
    let slot = 0;
    await this.state.update(indexName, (stored) => {
      const others = readIndex(stored).filter((one) => key === undefined || one.key !== key);
      if (isTooLong) return others;
      const kept = others.slice(1 - maxReports);
      slot = slots.find((free) => kept.every((one) => one.slot !== free)) ?? 0;
      return [...kept, { slot, canResend: resend.length > 0, ...(key !== undefined && { key }) }];
    });
    if (!isTooLong) await this.state.write(toReportName(slot), report);
  }
}

function toReportName(slot: number): string {
  return `verificationReport${slot}`;
}

function readIndex(stored: unknown): readonly ReportEntry[] {
  return Array.isArray(stored) ? stored.filter(isReportEntry) : [];
}

function isReportEntry(value: unknown): value is ReportEntry {
  if (!isJsonObject(value)) return false;
  const { key = '', slot, canResend } = value;
  return typeof key === 'string' && typeof slot === 'number' && slots.includes(slot) && typeof canResend === 'boolean';
}

function isStoredReport(value: unknown): value is StoredReport {
  if (!isJsonObject(value)) return false;
  const { key = '', text, resend } = value;
  const areIds = Array.isArray(resend) && resend.every((id) => typeof id === 'string');
  return areIds && typeof key === 'string' && typeof text === 'string';
}

function readAll(stored: unknown): Map<string, PastVerification> {
  const all = new Map<string, PastVerification>();
  for (const [key, value] of Object.entries(isJsonObject(stored) ? stored : {}))
    if (isPastVerification(value)) all.set(key, value);
  return all;
}
