import { planLifetimeMs } from '../../src/core/transfers/planFiles.ts';
import { PlanStore } from '../../src/core/agents/planStore.ts';
import type { TransferPlan } from '../../src/core/agents/transferPlan.ts';
import { systemClock } from '../../src/core/util/clock.ts';
import { getEditorDataHome, getLedgerIn } from '../../test/support/dataHome.ts';
import { MemoryLog } from '../../test/support/memoryLog.ts';
import { toId } from './screenshotService.ts';
import type { Stage } from './stage.ts';

/** Saves a plan the way an agent outside the editor would. Any open window then shows the proposed transfer. */
export async function proposeTransfer({ editor, clock, service }: Stage, destination = ''): Promise<void> {
  const sceneClock = { ...systemClock, now: () => clock.now };
  const store = new PlanStore(getLedgerIn(getEditorDataHome(editor.dataFolder)), sceneClock, new MemoryLog());
  await store.create(createPlan(clock.now, service.http.address, destination));
  store.dispose();
}

function createPlan(now: number, address: string, destination: string): Omit<TransferPlan, 'id'> {
  const name = 'Research Data Service';
  return {
    createdAt: now,
    expiresAt: now + planLifetimeMs,
    requestedBy: 'Claude Code',
    service: { connectionId: toId(name), name, address, orcid: '0000-0002-1825-0097' },
    source: 'Observatory Archive',
    destination,
    files: Array.from({ length: 12 }, (_, index) => ({
      id: `OBS:${index}`,
      path: `run-${index}.fits`,
      bytes: 8_640_000,
    })),
    description: 'Night of the 1st of March, for the reduction.',
    textOrigin: 'server',
    licenses: [{ name: 'CC-BY-4.0', fileCount: 12, forbidsSharing: false }],
    copies: { atDestination: 0, isComplete: true, received: 0, underWay: 0 },
  };
}
