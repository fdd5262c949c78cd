import { getEndedAt, type Transfer } from '../../../core/model/transferModel.ts';

/** A group of finished transfers: the newest (`finished`, always visible), or a range of days. */
export type FinishedGroup = 'finished' | DayGroup;

/** Names a range of days on which transfers ended. */
type DayGroup = 'today' | 'yesterday' | 'thisWeek' | 'earlier';

/** All ranges of days, most recent first. */
const dayGroups: readonly DayGroup[] = ['today', 'yesterday', 'thisWeek', 'earlier'];

const newestCount = 5;

/** Assigns finished transfers to groups. */
export interface FinishedLayout {
  /** The transfers of each group, newest first. `finished` contains the newest transfers. */
  readonly groups: Readonly<Record<FinishedGroup, readonly Transfer[]>>;
  /** The group of each transfer, by its key. */
  readonly groupByKey: ReadonlyMap<string, FinishedGroup>;
  /** Ranges of days on which transfers ended or may have ended, most recent first. */
  readonly days: readonly DayGroup[];
}

/**
 * Groups finished transfers by the time they ended. `isPartial` means that some transfers aren't loaded yet. Those
 * could belong to any day, so all loaded transfers except the newest go into `earlier`.
 */
export function arrangeFinished(finished: readonly Transfer[], now: number, isPartial: boolean): FinishedLayout {
  const sorted = [...finished].sort((a, b) => getEndedAt(b) - getEndedAt(a) || b.createdAt - a.createdAt);
  const groups: Record<FinishedGroup, Transfer[]> = {
    finished: [],
    today: [],
    yesterday: [],
    thisWeek: [],
    earlier: [],
  };
  const groupByKey = new Map<string, FinishedGroup>();
  const getDay = createDayFinder(now);
  for (const [index, transfer] of sorted.entries()) {
    const older = isPartial ? 'earlier' : getDay(getEndedAt(transfer));
    const group = index < newestCount ? 'finished' : older;
    groups[group].push(transfer);
    groupByKey.set(transfer.key, group);
  }
  const days = dayGroups.filter((day) => groups[day].length > 0 || (isPartial && day === 'earlier'));
  return { groups, groupByKey, days };
}

/** Returns the start of the day `offset` days after `now`, in milliseconds since 1970. */
export function getStartOfDay(now: number, offset = 0): number {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + offset).getTime();
}

/** Creates a function that returns the range of days to which a time belongs. Weeks start on Monday (ISO 8601). */
function createDayFinder(now: number): (at: number) => DayGroup {
  const daysSinceMonday = (new Date(now).getDay() + 6) % 7;
  const starts = { today: 0, yesterday: -1, thisWeek: -daysSinceMonday };
  const firsts = Object.entries(starts).map(([day, offset]) => [day as DayGroup, getStartOfDay(now, offset)] as const);
  return (at) => firsts.find(([, start]) => at >= start)?.[0] ?? 'earlier';
}
