import type { DataTransferClient } from '../client/dataTransferClient.ts';
import type { RouteObserver } from '../client/route.ts';
import type { Reply } from '../client/reply.ts';
import {
  testSteps,
  type Connection,
  type ServiceInfo,
  type TestFacts,
  type TestStep,
  type TestStepName,
} from '../model/connection.ts';
import type { Database } from '../model/databaseModel.ts';
import type { Reason } from '../model/reason.ts';
import { catchRefusal, type KeyWatch } from './openConnections.ts';

/** Dependencies of {@link ConnectionTest}. */
export interface ConnectionTestDependencies {
  readonly keys: KeyWatch;
  createClient(observer: RouteObserver): Promise<DataTransferClient>;
}

/** A connection to test, with its key. If `apiKey` is undefined, the `key` step fails without sending a request. */
export interface TestedConnection {
  readonly connection: Connection;
  readonly apiKey: string | undefined;
}

/** Connects to a service and reports each step, from reading the address to the accepted key. */
export class ConnectionTest {
  private readonly dependencies: ConnectionTestDependencies;

  constructor(dependencies: ConnectionTestDependencies) {
    this.dependencies = dependencies;
  }

  /**
   * Runs the test and resolves to the results of all steps. Calls `onDidStart` when a step starts. Doesn't change any
   * open or saved connection, except that an accepted key is no longer doubted (D28: retry rejected keys).
   */
  async run(
    tested: TestedConnection,
    signal: AbortSignal,
    onDidStart: (step: TestStepName) => void,
  ): Promise<readonly TestStep[]> {
    const steps = new TestSteps(onDidStart);
    const failure = new AbortController();
    const client = await this.dependencies.createClient({
      didReach: (step, facts) => steps.advance(step, facts),
      didFail: (facts, reason) => {
        steps.end(reason, facts);
        failure.abort(); // A retry would not change the result.
      },
    });
    const ended = AbortSignal.any([signal, failure.signal]);
    try {
      await this.connect(client, tested, ended, steps);
    } finally {
      client.dispose();
    }
    return steps.getAll();
  }

  private async connect(
    client: DataTransferClient,
    tested: TestedConnection,
    signal: AbortSignal,
    steps: TestSteps,
  ): Promise<void> {
    const options = { ...tested.connection, apiKey: tested.apiKey ?? '' };
    const root = await catchRefusal<Reply<ServiceInfo>>(client.connect(options, signal).then((value) => ({ value })));
    // If the request for the root document is rejected as `unauthorized`, the service did respond.
    if (root.reason && root.reason.kind !== 'unauthorized') steps.end(root.reason);
    else {
      steps.advance('key', root.value ? { service: { name: root.value.name, version: root.value.version } } : {});
      const { reason, value } = await this.testKey(client, tested, signal, root.reason);
      steps.end(reason, value && { databaseCount: value.length });
    }
  }

  private async testKey(
    client: DataTransferClient,
    { connection, apiKey }: TestedConnection,
    signal: AbortSignal,
    rejection: Reason | undefined,
  ): Promise<Partial<Reply<readonly Database[]>>> {
    if (apiKey === undefined) return { reason: { kind: 'unauthorized' } };
    const { value, reason } = rejection ? { reason: rejection } : await catchRefusal(client.databases(signal));
    if (reason) return { reason: this.addKeyTrust(connection, reason) };
    this.dependencies.keys.recordReply(connection.id, undefined);
    return { value: value ?? [] };
  }

  /** Returns the reason, with `keyWorked` set if the service rejected a trusted key (D28: retry rejected keys). */
  private addKeyTrust({ id }: Connection, reason: Reason): Reason {
    if (reason.kind !== 'unauthorized' || !this.dependencies.keys.isTrusted(id)) return reason;
    return { ...reason, keyWorked: true };
  }
}

/** Collects the steps of a test in order, up to the first failure. */
class TestSteps {
  private readonly steps = new Map<TestStepName, TestStep>();
  private readonly onDidStart: (step: TestStepName) => void;
  private current: TestStepName = 'address';
  private hasFailed = false;

  constructor(onDidStart: (step: TestStepName) => void) {
    this.onDidStart = onDidStart;
    onDidStart(this.current);
  }

  advance(name: TestStepName, facts: TestFacts): void {
    this.end(undefined, facts);
    this.current = name;
    this.onDidStart(name);
  }

  end(reason: Reason | undefined, facts: TestFacts = {}): void {
    if (this.hasFailed) return;
    this.hasFailed = reason !== undefined;
    const outcome = reason ? 'failed' : 'passed';
    this.steps.set(this.current, { name: this.current, outcome, facts, ...(reason && { reason }) });
  }

  /** Returns all steps: skipped ones as not needed, those after the current one as not tried. */
  getAll(): readonly TestStep[] {
    return testSteps.map((name, index) => {
      const outcome = index < testSteps.indexOf(this.current) ? 'notNeeded' : 'notTried';
      return this.steps.get(name) ?? { name, outcome, facts: {} };
    });
  }
}
