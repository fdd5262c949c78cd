import { baseAddress } from '../client/address.ts';
import type { DataTransferClient } from '../client/dataTransferClient.ts';
import { defaultLimits } from '../client/limits.ts';
import type { Probe, ProbeOutcome } from '../client/probe.ts';
import type { Connection } from '../model/connection.ts';
import { testSteps, type TestFacts, type TestStep, type TestStepName } from '../model/connectionTest.ts';
import type { NetworkSettings } from '../model/networkSettings.ts';
import type { Reason } from '../model/reason.ts';
import { asked, refusalOf } from './asked.ts';
import { connectOptions } from './connectOptions.ts';
import type { KeyWatch } from './keyWatch.ts';

/** What a {@link ConnectionTest} needs. */
export interface ConnectionTestParts {
  readonly keys: KeyWatch;
  newClient(): Promise<DataTransferClient>;
  network(): NetworkSettings;
}

/** What is to be tested: without a key, everything but that it is accepted. */
export interface TestedConnection {
  readonly connection: Connection;
  readonly apiKey: string | undefined;
}

/** Goes from the address to the accepted key step by step, and tells at which step that ends, and why. */
export class ConnectionTest {
  private readonly parts: ConnectionTestParts;

  constructor(parts: ConnectionTestParts) {
    this.parts = parts;
  }

  /** Resolves with every step; `tell` is called when one begins. Changes nothing that is open or kept. */
  async run(
    tested: TestedConnection,
    signal: AbortSignal,
    tell: (step: TestStepName) => void,
  ): Promise<readonly TestStep[]> {
    const record = new TestRecord(tell);
    await this.walk(tested, signal, record);
    return record.complete();
  }

  private async walk(tested: TestedConnection, signal: AbortSignal, record: TestRecord): Promise<void> {
    record.begin('address');
    const { Probe: NewProbe } = await import('../client/probe.ts');
    let address: string;
    let probe: Probe;
    try {
      address = baseAddress(tested.connection);
      probe = new NewProbe(address, this.parts.network(), defaultLimits, signal);
    } catch (error) {
      record.end({ facts: {}, reason: refusalOf(error) });
      return;
    }
    try {
      const isWayClear = tested.connection.transport === 'editor' ? leftToEditor(record) : await way(probe, record);
      if (isWayClear) await this.ask(tested, signal, record);
    } finally {
      probe.close();
    }
  }

  private async ask({ connection, apiKey }: TestedConnection, signal: AbortSignal, record: TestRecord): Promise<void> {
    const client = await this.parts.newClient();
    record.begin('root');
    try {
      const refused = this.withTrust(connection, await askRoot(client, connection, apiKey ?? '', signal, record));
      if (refused && !wasAnswered(refused)) return;
      record.begin('key');
      if (apiKey === undefined) record.end({ facts: {}, reason: { kind: 'unauthorized' } });
      else if (refused) record.end({ facts: {}, reason: refused });
      else record.end(await this.proveKey(client, connection, signal));
    } finally {
      client.dispose();
    }
  }

  private async proveKey(
    client: DataTransferClient,
    connection: Connection,
    signal: AbortSignal,
  ): Promise<ProbeOutcome> {
    const { value = [], reason } = await asked(() => client.databases(signal));
    if (reason) return { facts: {}, reason: this.withTrust(connection, reason) };
    this.parts.keys.note(connection.id, undefined);
    return { facts: { databaseCount: value.length } };
  }

  /** Adds to a rejection that the key was accepted before: one test does not prove otherwise (D28). */
  private withTrust<T extends Reason | undefined>({ id }: Connection, reason: T): T | Reason {
    if (reason?.kind !== 'unauthorized' || !this.parts.keys.isTrusted(id)) return reason;
    return { ...reason, keyWorked: true };
  }
}

/** Takes the root down; returns the reason where it refused, which may be an answer all the same. */
async function askRoot(
  client: DataTransferClient,
  connection: Connection,
  apiKey: string,
  signal: AbortSignal,
  record: TestRecord,
): Promise<Reason | undefined> {
  try {
    const { name, version } = await client.connect(connectOptions(connection, apiKey), signal);
    record.pass({ service: { name, version } });
    return undefined;
  } catch (error) {
    const reason = refusalOf(error);
    record.end({ facts: {}, ...(!wasAnswered(reason) && { reason }) });
    return reason;
  }
}

/** A root that refuses the key has answered. */
function wasAnswered({ kind }: Reason): boolean {
  return kind === 'unauthorized';
}

/** The steps as they come out. */
class TestRecord {
  private readonly steps = new Map<TestStepName, TestStep>();
  private readonly tell: (step: TestStepName) => void;
  private current: TestStepName = 'address';

  constructor(tell: (step: TestStepName) => void) {
    this.tell = tell;
  }

  begin(name: TestStepName): void {
    this.current = name;
    this.tell(name);
  }

  /** Returns whether to go on. */
  end({ facts, reason }: ProbeOutcome): boolean {
    const outcome = reason ? 'failed' : 'passed';
    this.steps.set(this.current, { name: this.current, outcome, facts, ...(reason && { reason }) });
    return reason === undefined;
  }

  pass(facts: TestFacts = {}): void {
    this.end({ facts });
  }

  skip(name: TestStepName): void {
    this.steps.set(name, { name, outcome: 'notNeeded', facts: {} });
  }

  complete(): readonly TestStep[] {
    return testSteps.map((name) => this.steps.get(name) ?? { name, outcome: 'notTried', facts: {} });
  }
}

function leftToEditor(record: TestRecord): boolean {
  record.pass();
  for (const name of ['name', 'connect', 'tls'] as const) record.skip(name);
  return true;
}

async function way(probe: Probe, record: TestRecord): Promise<boolean> {
  record.pass(probe.proxyOrigin === undefined ? {} : { proxy: probe.proxyOrigin });
  record.begin('name');
  if (!record.end(await probe.resolve())) return false;
  record.begin('connect');
  if (!record.end(await probe.connect())) return false;
  if (!probe.isSecure) record.skip('tls');
  else {
    record.begin('tls');
    if (!record.end(await probe.secure())) return false;
  }
  return true;
}
