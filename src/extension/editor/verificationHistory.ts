import { isPastVerification, type PastVerification } from '../../core/verification/pastVerification.ts';
import { Emitter } from '../../core/util/emitter.ts';
import { isJsonObject } from '../../core/util/json.ts';
import type { StateFiles } from './stateFiles.ts';

const stateName = 'verifications';
const maxTransfers = 500;

/** Stores the last verification of each transfer, up to a limit (D45: store before showing). */
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
}

function readAll(stored: unknown): Map<string, PastVerification> {
  const all = new Map<string, PastVerification>();
  for (const [key, value] of Object.entries(isJsonObject(stored) ? stored : {}))
    if (isPastVerification(value)) all.set(key, value);
  return all;
}
