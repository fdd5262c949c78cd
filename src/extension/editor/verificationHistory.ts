import { isPastVerification, type PastVerification } from '../../core/verification/pastVerification.ts';
import { Emitter } from '../../core/util/emitter.ts';
import { isJsonObject } from '../../core/util/json.ts';
import type { StateFiles } from './stateFiles.ts';

const stateName = 'verifications';
const maxTransfers = 500;
const reportsName = 'verificationReports';
const maxReports = 20;
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

  /** Returns the last report on a transfer or, without a key, the newest report; undefined if none is stored. */
  async getReport(key?: string): Promise<StoredReport | undefined> {
    return readReports(await this.state.read(reportsName)).findLast((one) => key === undefined || one.key === key);
  }

  /** Stores a report and replaces an earlier one on the same transfer. Removes it if the new one is too long. */
  async recordReport(report: StoredReport): Promise<void> {
    await this.state.update(reportsName, (stored) => {
      const others = readReports(stored).filter(({ key }) => key === undefined || key !== report.key);
      return [...others, ...(report.text.length > maxReportLength ? [] : [report])].slice(-maxReports);
    });
  }
}

function readReports(stored: unknown): readonly StoredReport[] {
  return Array.isArray(stored) ? stored.filter(isStoredReport) : [];
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
