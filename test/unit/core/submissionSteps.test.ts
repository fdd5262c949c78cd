import assert from 'node:assert/strict';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TransferLedger } from '../../../src/core/transfers/transferLedger.ts';
import type { TransferState } from '../../../src/core/model/transferModel.ts';
import { json } from '../../support/faultBehaviors.ts';
import { Rig } from './rig.ts';

const id = '3f2c1a90-5d6e-4b7a-8c9d-0e1f2a3b4c5d';

const thrownValues: readonly (readonly [name: string, create: () => unknown])[] = [
  ['TypeError', () => new TypeError('Cannot read properties of undefined')],
  ['RangeError', () => new RangeError('Invalid array length')],
  ['Error', () => new Error('Something else')],
  ['a string', () => 'no error at all'],
];

interface Step {
  readonly name: string;
  /** Makes the step throw the value once. */
  readonly inject: (rig: Rig, thrown: unknown) => void;
  readonly state: TransferState;
  readonly hasId: boolean;
  /** True if the step counts as part of the network, whose failures are reported as such. */
  readonly isNetwork?: boolean;
}

const before = { state: 'refused', hasId: false } as const;
const unclear = { state: 'notConfirmed', hasId: false } as const;
const accepted = { state: 'accepted', hasId: true } as const;

/** The steps of a submission in order, with the state that has to be stored if the step throws. */
const steps: readonly Step[] = [
  { name: 'show the intent', inject: onShown('submitting'), ...accepted },
  { name: 'check whether names are known', inject: onCall(getClient, 'isNamingKnown'), ...before },
  { name: 'choose the names', inject: onCall((rig) => getPart(rig, 'dialects'), 'get'), ...before },
  { name: 'wait for the turn', inject: onCall((rig) => getPart(rig, 'queue'), 'run'), ...before },
  { name: 'send the request', inject: onCall(getTransport, 'send'), ...before, isNetwork: true },
  { name: 'receive the headers', inject: onReturn(getTransport, 'send'), ...unclear, isNetwork: true },
  { name: 'read the response', inject: onRead, ...unclear, isNetwork: true },
  { name: 'log the exchange', inject: onCall(({ log }) => log, 'trace'), ...accepted },
  { name: 'leave the queue', inject: onReturn((rig) => getPart(rig, 'queue'), 'run'), ...accepted },
  { name: 'remove the key', inject: onCall((rig) => getPart(rig, 'keyRemover'), 'removeFrom'), ...accepted },
  { name: 'report the reply', inject: onReply, ...accepted },
  { name: 'leave the client', inject: onReturn(getClient, 'transfer'), ...unclear },
  { name: 'compare with other IDs', inject: onCall(({ explorer }) => explorer.transferStore, 'hasOther'), ...accepted },
  { name: 'show the outcome', inject: onShown('accepted'), ...accepted },
];

describe('An unexpected error during a submission', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.start();
    rig.server.on('POST /api/v1/transfers', json({ id }, 201));
    await rig.connect();
  });
  afterEach(() => rig.end());

  for (const step of steps) {
    for (const [thrownName, create] of thrownValues) {
      it(`stores "${step.state}" if "${step.name}" throws ${thrownName}`, async () => {
        const thrown = create();
        step.inject(rig, thrown);
        const outcome = await rig.explorer.transferFlow.submit(rig.order);
        const stored = await readStored(rig);
        const reason = outcome.problem?.kind;
        await addToTable([step.name, thrownName, stored.state, stored.id === undefined ? 'no' : 'yes', reason ?? '']);
        assert.deepEqual([stored.state, stored.id], [step.state, step.hasId ? id : undefined]);
        assert.notEqual(reason, 'badArgument');
        if (step.isNetwork) return;
        const message = thrown instanceof Error ? thrown.message : String(thrown);
        const logged = rig.log.lines.filter((line) => line.includes(message));
        assert.equal(logged.length, 1, 'is logged once');
        if (thrown instanceof Error) assert.match(logged[0] ?? '', /\n\s+at /, 'is logged with its stack');
      });
    }
  }

  it('removes the key from what is logged', async () => {
    onCall(getClient, 'isNamingKnown')(rig, new TypeError('the-key is not a function'));
    onCall((from) => getPart(from, 'dialects'), 'get')(rig, new TypeError('the-key is not a function'));
    await rig.explorer.transferFlow.submit(rig.order);
    await rig.explorer.sessions.active?.client.search({ database: 'Alpha', orcid: rig.order.orcid, query: 'x' });
    assert.deepEqual(rig.log.lines.filter((line) => line.includes('the-key is not')).length, 0);
  });

  it('does not hide an invalid argument, which is refused before anything is sent', async () => {
    const order = { ...rig.order, description: 5 as unknown as string };
    const { state, problem } = await rig.explorer.transferFlow.submit(order);
    assert.deepEqual([state, problem?.kind], ['refused', 'badArgument']);
    assert.equal(rig.server.requests.filter(({ method }) => method === 'POST').length, 0);
  });
});

describe('An unexpected error during another operation', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.start();
    await rig.connect();
  });
  afterEach(() => rig.end());

  const operations: readonly (readonly [string, (rig: Rig) => Promise<{ readonly reason?: { kind: string } }>])[] = [
    ['search', async (from) => await getClient(from).search({ database: 'Alpha', orcid, query: 'x' })],
    ['metadata', async (from) => await getClient(from).fetchMetadata({ database: 'Alpha', orcid, ids: ['f1'] })],
    ['databases', async (from) => await getClient(from).databases()],
    ['status', async (from) => await getClient(from).transferStatus(id)],
    ['cancel', async (from) => await getClient(from).cancelTransfer({ id, orcid })],
    ['search parameters', async (from) => await getClient(from).searchParameters('a')],
  ];
  for (const [name, run] of operations) {
    it(`is the reason of a failed ${name}, and is logged with its stack`, async () => {
      onCall(({ log }) => log, 'trace')(rig, new TypeError('Cannot read properties of undefined'));
      const { reason } = await run(rig);
      assert.deepEqual(reason, { kind: 'internalError' });
      const logged = rig.log.lines.filter((line) => line.includes('Cannot read properties'));
      assert.match(logged.join(''), /\n\s+at /);
    });
  }

  it('fails a connection attempt without blaming an argument', async () => {
    onCall(({ log }) => log, 'trace')(rig, new TypeError('Cannot read properties of undefined'));
    const { reason } = await rig.explorer.connectFlow.open(rig.connection, 'the-key');
    assert.equal(reason?.kind, 'internalError');
  });
});

const orcid = '0000-0002-1825-0097';

type Holder = (rig: Rig) => object;

function getClient({ explorer }: Rig) {
  const { active } = explorer.sessions;
  assert.ok(active);
  return active.client;
}

/** Returns an object inside the client's session. */
function getPart(rig: Rig, name: string): object {
  const session = Reflect.get(getClient(rig), 'session') as object;
  return Reflect.get(session, name) as object;
}

function getTransport(rig: Rig): object {
  return getPart(rig, 'transport');
}

function onCall(holder: Holder, method: string) {
  return (rig: Rig, thrown: unknown): void =>
    replaceOnce(holder(rig), method, () => {
      throw thrown;
    });
}

function onReturn(holder: Holder, method: string) {
  return (rig: Rig, thrown: unknown): void =>
    replaceOnce(holder(rig), method, async (original) => {
      await original();
      throw thrown;
    });
}

function onRead(rig: Rig, error: unknown): void {
  replaceOnce(getTransport(rig), 'send', async (original) =>
    Object.assign({}, await original(), { text: undefined, error }),
  );
}

function onReply(rig: Rig, thrown: unknown): void {
  const subscription = getClient(rig).onDidReply(() => {
    subscription.dispose();
    throw thrown;
  });
}

function onShown(state: TransferState) {
  return ({ explorer }: Rig, thrown: unknown): void => {
    const { transferStore } = explorer;
    const subscription = transferStore.onDidChange(() => {
      if (!transferStore.getAll().some((transfer) => transfer.state === state)) return;
      subscription.dispose();
      throw thrown;
    });
  };
}

function replaceOnce(target: object, method: string, act: (original: () => unknown) => unknown): void {
  const original = Reflect.get(target, method) as (...given: readonly unknown[]) => unknown;
  const replaced = (...given: readonly unknown[]): unknown => {
    Object.defineProperty(target, method, { value: original, configurable: true, writable: true });
    return act(() => original.apply(target, [...given]));
  };
  Object.defineProperty(target, method, { value: replaced, configurable: true, writable: true });
}

async function readStored({ folder, log }: Rig) {
  const ledger = new TransferLedger(join(folder, 'transfers'), log);
  const [stored] = [...(await ledger.loadRunning()), ...(await ledger.loadEnded())];
  assert.ok(stored);
  return stored;
}

/** Adds a row to the table of steps, if a file for it is named. */
async function addToTable(cells: readonly string[]): Promise<void> {
  const file = process.env['SUBMISSION_STEPS_TABLE'];
  if (file !== undefined) await appendFile(file, `| ${cells.join(' | ')} |\n`);
}
