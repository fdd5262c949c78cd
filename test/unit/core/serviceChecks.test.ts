import assert from 'node:assert/strict';
import { OpenConnections, ServiceWatch, type OpenConnection } from '../../../src/core/connections/openConnections.ts';
import type { Reason } from '../../../src/core/model/reason.ts';
import { ConnectionStore } from '../../../src/core/connections/connectionStore.ts';
import { Emitter } from '../../../src/core/util/lifetime.ts';
import { ManualClock } from '../../support/manualClock.ts';

const unreachable: Reason = { kind: 'unreachable' };
const unavailable: Reason = { kind: 'serverError', status: 503 };
const cancelled: Reason = { kind: 'cancelled' };

/** A watch whose service the test plays: it sends the replies to requests, and ends each check. */
class WatchRig {
  readonly clock = new ManualClock();
  readonly store = new ConnectionStore();
  readonly sessions = new OpenConnections();
  readonly watch: ServiceWatch;
  /** Number of checks that were started. */
  checkCount = 0;
  private readonly checks: ((reason: Reason | undefined) => void)[] = [];
  private readonly replies = new Map<string, Emitter<Reason | undefined>>();

  constructor() {
    const { sessions, store, clock } = this;
    const check = async (): Promise<Reason | undefined> => {
      this.checkCount++;
      return await new Promise((resolve) => this.checks.push(resolve));
    };
    this.watch = new ServiceWatch({ sessions, store, clock, check });
  }

  open(id: string): void {
    const replied = new Emitter<Reason | undefined>();
    const address = `https://${id}.example.org`;
    const connection = { id, name: id, server: address };
    const service = { name: id, version: '1', address };
    const client = { onDidReply: replied.event, dispose: () => replied.dispose() };
    const session: OpenConnection = { connection, service, client: client as never };
    this.replies.set(id, replied);
    this.sessions.activate(session);
    this.store.setState({ kind: 'connected', connection, service });
    this.watch.watch(session);
  }

  get problem(): string | undefined {
    const { state } = this.store;
    return state.kind === 'connected' ? state.problem?.kind : state.kind;
  }

  /** Delivers the reply to a request that isn't a check. */
  reply(reason?: Reason, id = 'a'): void {
    this.replies.get(id)?.fire(reason);
  }

  /** Ends the oldest check. The watch first receives its reply like that to any other request. */
  async endCheck(reason?: Reason, id = 'a'): Promise<void> {
    const end = this.checks.shift();
    assert.ok(end, 'no check is running');
    this.reply(reason, id);
    end(reason);
    await this.clock.pass(0);
  }
}

describe('The checks of a service', () => {
  let rig: WatchRig;
  beforeEach(() => {
    rig = new WatchRig();
    rig.open('a');
  });
  afterEach(() => {
    rig.watch.dispose();
    assert.equal(rig.clock.waitingCount, 0);
  });

  const checkAfter = async (ms: number): Promise<void> => {
    const before = rig.checkCount;
    await rig.clock.pass(ms - 1);
    assert.equal(rig.checkCount, before, 'checked too early');
    await rig.clock.pass(1);
    assert.equal(rig.checkCount, before + 1);
  };

  it('start after five seconds and continue at increasing intervals until one succeeds', async () => {
    rig.reply(unreachable);
    assert.equal(rig.problem, 'unreachable');
    for (const seconds of [5, 10, 20, 40, 80, 160, 300, 300]) {
      await checkAfter(seconds * 1000);
      await rig.endCheck(unreachable);
    }
    await checkAfter(300_000);
    await rig.endCheck();
    assert.equal(rig.problem, undefined);
    assert.equal(rig.clock.waitingCount, 0);
  });

  it('continue if one fails after another request has succeeded', async () => {
    rig.reply(unavailable);
    await rig.clock.pass(0);
    rig.reply();
    await rig.endCheck(unreachable);
    assert.equal(rig.problem, 'unreachable');
    await checkAfter(5_000);
    await rig.endCheck();
    assert.equal(rig.problem, undefined);
  });

  it('continue if a request fails while one is ending', async () => {
    rig.reply(unavailable);
    await rig.clock.pass(0);
    const ended = rig.endCheck();
    rig.reply(unreachable);
    await ended;
    assert.equal(rig.problem, 'unreachable');
    await checkAfter(5_000);
    await rig.endCheck();
  });

  it('continue without showing a problem if one fails ambiguously although another request has succeeded', async () => {
    rig.reply(unavailable);
    await rig.clock.pass(0);
    rig.reply();
    await rig.endCheck(unavailable);
    assert.equal(rig.problem, undefined);
    await checkAfter(5_000);
    await rig.endCheck(unavailable);
    assert.equal(rig.problem, 'serverError');
  });

  it('happen at once after a recovery, so that the databases are listed again', async () => {
    rig.reply(unreachable);
    await checkAfter(5_000);
    await rig.endCheck(unreachable);
    await rig.clock.pass(7_000);
    rig.reply();
    assert.equal(rig.problem, undefined);
    await rig.clock.pass(0);
    assert.equal(rig.checkCount, 2);
    await rig.endCheck();
    assert.equal(rig.clock.waitingCount, 0);
  });

  it('are at least five seconds apart after a recovery, too', async () => {
    rig.reply(unreachable);
    await checkAfter(5_000);
    await rig.endCheck(unreachable);
    await rig.clock.pass(2_000);
    rig.reply();
    await checkAfter(3_000);
    await rig.endCheck();
  });

  it('continue after a cancelled one if the service was not responding before', async () => {
    rig.reply(unreachable);
    await checkAfter(5_000);
    await rig.endCheck(cancelled);
    assert.equal(rig.problem, 'unreachable');
    await checkAfter(10_000);
    await rig.endCheck();
  });

  it('end when another connection becomes active, and do not affect its checks', async () => {
    rig.reply(unavailable);
    await rig.clock.pass(0);
    rig.open('b');
    rig.reply(unavailable, 'b');
    await rig.clock.pass(0);
    assert.equal(rig.checkCount, 2);
    await rig.endCheck(unavailable);
    assert.equal(rig.problem, undefined);
    await rig.endCheck(unavailable, 'b');
    assert.equal(rig.problem, 'serverError');
    await checkAfter(5_000);
    await rig.endCheck(undefined, 'b');
    assert.equal(rig.problem, undefined);
  });

  it('leave no timer behind when the connection is deactivated', async () => {
    rig.reply(unreachable);
    await rig.clock.pass(0);
    rig.sessions.deactivate();
    await rig.clock.pass(0);
    assert.equal(rig.clock.waitingCount, 0);
  });
});
