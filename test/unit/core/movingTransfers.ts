import type { Transfer } from '../../../src/core/model/transferModel.ts';
import { order } from './specimens.ts';

const minute = 60_000;

/** Returns a transfer of 100 files that became active after one minute, with the given progress samples. */
export function createActive(
  moved: readonly (readonly [atMinute: number, moved: number])[],
  more: Partial<Transfer> = {},
): Transfer {
  const movement = moved.map(([at, count]) => ({ at: at * minute, moved: count }));
  const askedAt = movement.at(-1)?.at ?? 0;
  const files = [...Array(100).keys()].map((index) => ({ id: `f${index}`, name: `f${index}` }));
  return {
    key: 'k',
    id: 'id',
    order: { ...order, files },
    createdAt: 0,
    state: 'active',
    changes: [{ state: 'active', at: minute }],
    movement,
    askedAt,
    status: { status: 'active', fileCount: 100, movedFileCount: movement.at(-1)?.moved ?? 0 },
    ...more,
  };
}

/** Returns a transfer of 100 files that succeeded after the given number of minutes. */
export function createSucceeded(key: string, minutes: number, more: Partial<Transfer> = {}): Transfer {
  const status = { status: 'succeeded', fileCount: 100, movedFileCount: 100 };
  const changes = [{ state: 'succeeded', at: minutes * minute }] as const;
  return createActive([], { key, state: 'succeeded', changes, status, ...more });
}
