import assert from 'node:assert/strict';
import { planLifetimeMs } from '../../src/core/transfers/planFiles.ts';
import { PlanStore } from '../../src/core/agents/planStore.ts';
import type { TransferPlan } from '../../src/core/agents/transferPlan.ts';
import { systemClock } from '../../src/core/util/clock.ts';
import { TransferStore } from '../../src/core/transfers/transferStore.ts';
import type { PlanNode } from '../../src/extension/editor/contributions.ts';
import { TransferTree } from '../../src/extension/features/transfers/transferTree.ts';
import { eventually } from '../support/eventually.ts';
import { ManualClock } from '../support/manualClock.ts';
import { MemoryLog } from '../support/memoryLog.ts';
import { deletePlans } from './planLeftovers.ts';
import { noVerifications } from './specimens.ts';
import { ledgerFolder, Stage } from './stage.ts';

/** Returns a plan for the stage's service. The plan has no ID yet. */
function createPlan(stage: Stage, more: Partial<TransferPlan> = {}): Omit<TransferPlan, 'id'> {
  const { connection, service } = stage.parts.sessions.active ?? assert.fail();
  const now = Date.now();
  return {
    createdAt: now,
    expiresAt: now + planLifetimeMs,
    requestedBy: 'Claude $(zap) Code\nline two',
    service: {
      connectionId: connection.id,
      name: service.name,
      address: service.address,
      orcid: '0000-0002-1825-0097',
    },
    source: 'JGI Data Portal',
    destination: 'KBase Workspace Service (KSS)',
    files: [{ id: 'JDP:000001', path: 'a.fastq.gz', bytes: 1200 }],
    description: 'From the metadata',
    textOrigin: 'server',
    licenses: [{ fileCount: 1, forbidsSharing: false }],
    copies: { atDestination: 0, isComplete: true, received: 0, underWay: 0 },
    ...more,
  };
}

describe('Transfers that agents propose', () => {
  let stage: Stage;
  let other: PlanStore;
  beforeEach(async () => {
    stage = await Stage.openConnected();
    other = new PlanStore(ledgerFolder, systemClock, new MemoryLog());
  });
  afterEach(async () => {
    await deletePlans(ledgerFolder);
    await stage.parts.proposedPlans.refresh();
    other.dispose();
    await stage.close();
  });

  /** Saves a plan as another program would. Resolves to the plan's row once the window lists it. */
  async function propose(more: Partial<TransferPlan> = {}): Promise<PlanNode> {
    const { id } = await other.create(createPlan(stage, more));
    await eventually(() => Promise.resolve(stage.parts.proposedPlans.get(id)));
    return { kind: 'plan', id };
  }

  it('appear in the tree when another program plans them, above all other transfers', async () => {
    const node = await propose();
    const plans = stage.parts.proposedPlans;
    const loads = { loadFinished: () => Promise.resolve(), loadLastFinished: () => Promise.resolve() };
    const clock = new ManualClock();
    const tree = new TransferTree({
      store: new TransferStore(),
      clock,
      plans,
      ...loads,
      estimate: () => undefined,
      verifications: noVerifications,
    });
    const [group = assert.fail()] = tree.getChildren();
    assert.equal(tree.getTreeItem(group).label, 'Proposed by an agent');
    assert.equal(tree.getTreeItem(group).description, '1');
    assert.deepEqual(tree.getChildren(group), [node]);
    assert.equal(tree.getParent(node), group);
    const item = tree.getTreeItem(node);
    assert.equal(item.label, '1 file to KBase Workspace Service (KSS)');
    assert.match(
      String(item.description),
      /^expires (?:[A-Z][a-z]{2} \d+, )?\d+:\d\d\s[AP]M · Claude \$\(zap\) Code line two$/,
    );
    assert.equal(item.command?.command, 'dataTransfer.confirmPlan');
    assert.equal(item.contextValue, 'plan');
    tree.dispose();
  });

  it('are submitted once when the user confirms the summary, which states the origin of the text (D64)', async () => {
    const node = await propose();
    const done = stage.run('dataTransfer.confirmPlan', node);
    const summary = await stage.person.notice(/^Transfer 1 file to KBase/);
    assert.match(summary.detail, /^Requested by: Claude \$ \(zap\) Code line two$/m);
    assert.match(summary.detail, /^The description or instructions may have been copied from a server\.$/m);
    summary.press('Transfer');
    await done;
    assert.equal(stage.server.requestsTo('POST /api/v1/transfers').length, 1);
    assert.equal((await other.get(node.id))?.state.kind, 'submitted');
    assert.deepEqual(stage.parts.proposedPlans.getAll(), []);
    assert.equal(stage.parts.transferStore.getAll()[0]?.requestedBy?.plan, node.id);
  });

  it('are summarized with a limited number of licenses, so that the buttons stay visible', async () => {
    const licenses = Array.from({ length: 300 }, (_, index) => {
      return { name: `All rights reserved ${index}` };
    });
    const done = stage.run('dataTransfer.confirmPlan', await propose({ files: [{ id: 'f', path: 'f', licenses }] }));
    const summary = await stage.person.notice(/^Transfer 1 file to KBase/);
    assert.match(summary.detail, /^Licenses: All rights reserved 0 \(1 file\), .*, 295 others$/m);
    assert.match(summary.detail, /^295 other licenses forbid redistribution\.$/m);
    assert.ok(summary.detail.length < 2_000, summary.detail);
    summary.dismiss();
    await done;
  });

  it('are summarized with the beginning of long texts, and the number of omitted characters', async () => {
    const node = await propose({ description: 'x'.repeat(10_000), instructions: { note: 'y'.repeat(500) } });
    const done = stage.run('dataTransfer.confirmPlan', node);
    const summary = await stage.person.notice(/^Transfer 1 file to KBase/);
    assert.match(summary.detail, /^Description: x{999}… \(9,001 more characters\)$/m);
    assert.match(summary.detail, /^Instructions: \{"note":"y{500}"\}$/m);
    summary.dismiss();
    await done;
  });

  it('are not submitted if another window decides while the summary is open (D64)', async () => {
    const node = await propose();
    const done = stage.run('dataTransfer.confirmPlan', node);
    const summary = await stage.person.notice(/^Transfer 1 file to KBase/);
    await other.decide(node.id, 'declined', 'a terminal');
    summary.press('Transfer');
    await stage.person.notice(/was already confirmed or declined\.$/);
    await done;
    assert.equal(stage.server.requestsTo('POST /api/v1/transfers').length, 0);
  });

  it('disappear when they are declined, with a note in the status bar', async () => {
    const node = await propose();
    await stage.run('dataTransfer.declinePlan', node);
    assert.equal((await other.get(node.id))?.state.kind, 'declined');
    assert.deepEqual(stage.parts.proposedPlans.getAll(), []);
    assert.ok(
      stage.person.statusMessages.includes(
        'Declined the proposed transfer of 1 file to KBase Workspace Service (KSS).',
      ),
    );
  });

  it('disappear when they expire, with a note in the status bar', async () => {
    await propose({ expiresAt: Date.now() + 5_000 });
    await eventually(() => Promise.resolve(stage.parts.proposedPlans.getAll().length === 0 || undefined));
    assert.ok(
      stage.person.statusMessages.includes(
        'The proposed transfer of 1 file to KBase Workspace Service (KSS) has expired.',
      ),
    );
  });

  it('are listed when the command is run from the Command Palette', async () => {
    const node = await propose();
    const done = stage.run('dataTransfer.declinePlan');
    const pick = await stage.person.pick();
    pick.choose('1 file to KBase Workspace Service (KSS)');
    await done;
    assert.equal((await other.get(node.id))?.state.kind, 'declined');
  });

  it('are announced by one notification, whose button opens the summary', async () => {
    await propose();
    const notice = await stage.person.notice(/^Transfer proposed by Claude \$ \(zap\) Code line two: 1 file to KBase/);
    notice.press('Review…');
    (await stage.person.notice(/^Transfer 1 file to KBase/)).dismiss();
    assert.equal(stage.parts.proposedPlans.getAll().length, 1);
  });
});
