import {
  array,
  either,
  isBoolean,
  isFiniteNumber,
  isString,
  object,
  oneOf,
  optional,
  typeOnly,
  type Guarded,
} from './guards.ts';
import { isHostIntent, isPageWords } from './pageMessages.ts';

/** The number of rows in a chunk, in which the host sends them. */
export const chunkLength = 100;

const isSort = object({ column: isString, isDescending: isBoolean });

/** The part of a snapshot that the page saves across window reloads. */
const view = {
  /** The key of what is shown, such as a search; absent for the checked files of all searches. */
  subject: optional(isString),
  sort: optional(isSort),
  filter: isString,
  /** True if only the rows that the label of the toggle names are shown. */
  isToggled: isBoolean,
  /** Position of the row that was checked or opened last, which has the focus when the page starts. */
  active: isFiniteNumber,
};

const isColumn = object({ id: isString, label: isString, kind: oneOf('text', 'size') });

/** A column of the table. */
export type ShownColumn = Guarded<typeof isColumn>;

/** A remark above the rows. */
const isRemark = object({ kind: oneOf('info', 'warning', 'error'), text: isString });

/** A button of the bar. */
const isBarButton = object({
  type: oneOf('transfer', 'cite', 'save', 'resend'),
  label: isString,
  isPrimary: isBoolean,
});

/** The part of a snapshot that only the source of the rows knows. */
const facts = {
  title: isString,
  /** True if rows can have check boxes. */
  hasChecks: isBoolean,
  /** The things that are counted. */
  unit: oneOf('file', 'row'),
  filterLabel: isString,
  /** Names the rows to which a toggle reduces the table; absent if there is no toggle. */
  toggleLabel: optional(isString),
  /** Says that no rows are shown, and why. */
  emptyText: isString,
  remarks: array(isRemark),
  isLoading: isBoolean,
  mayHaveMore: isBoolean,
  /** True if the request that failed can be repeated. */
  canRetry: isBoolean,
  /** The text of the bar, such as the number of checked files, and what its buttons are about. */
  barText: isString,
  barLabel: isString,
  buttons: array(isBarButton),
};

/** The texts and buttons of a table that only the source of its rows knows. */
export type TableFacts = Guarded<ReturnType<typeof object<typeof facts>>>;

const isSnapshot = object({
  ...view,
  ...facts,
  /** Changes whenever rows that were sent may have changed. */
  version: isFiniteNumber,
  columns: array(isColumn),
  /** The number of all rows. */
  total: isFiniteNumber,
  /** The number of rows that are shown, how many of them have check boxes, and how many are checked. */
  shown: isFiniteNumber,
  shownCheckable: isFiniteNumber,
  shownChecked: isFiniteNumber,
});

/** Everything that the table shows, except its rows. */
export type TableSnapshot = Guarded<typeof isSnapshot>;

const isRow = object({
  key: isString,
  /** A text or a number for each column; an empty text for what is unknown. */
  cells: array(either(isString, isFiniteNumber)),
  /** Absent for a row without a check box. */
  isChecked: optional(isBoolean),
});

/** A row of the table. */
export type ShownRow = Guarded<typeof isRow>;

/** Checks messages that arrive at the table. */
export const isTableHostMessage = either(
  // The first message has the first chunk, too.
  object({ type: oneOf('start'), words: isPageWords, snapshot: isSnapshot, rows: array(isRow) }),
  object({ type: oneOf('snapshot'), snapshot: isSnapshot }),
  object({ type: oneOf('rows'), version: isFiniteNumber, chunk: isFiniteNumber, rows: array(isRow) }),
);

/** Messages from the host to the table. */
export type TableHostMessage = Guarded<typeof isTableHostMessage>;

/** Checks messages from the table to its host. A row is named by its position and key. */
export const isTableIntent = either(
  isHostIntent,
  object({ type: oneOf('rows'), chunk: isFiniteNumber }),
  object({ type: oneOf('arrange'), sort: optional(isSort), filter: isString, isToggled: isBoolean }),
  object({ type: oneOf('check'), index: isFiniteNumber, key: isString, isChecked: isBoolean }),
  object({ type: oneOf('open'), index: isFiniteNumber, key: isString }),
  object({ type: oneOf('checkShown'), isChecked: isBoolean }),
  typeOnly('transfer', 'cite', 'save', 'resend', 'stop', 'more'),
);

/** Messages from the table to its host. */
export type TableIntent = Guarded<typeof isTableIntent>;

/** Checks the state that the editor restores after a reload. */
export const isTablePageState = object(view);

/** The state that the page saves across window reloads. */
export type TablePageState = Guarded<typeof isTablePageState>;

/** Returns only the part of a state or snapshot that the page saves. */
export function toPageState({ subject, sort, filter, isToggled, active }: TablePageState): TablePageState {
  return { ...(subject !== undefined && { subject }), ...(sort && { sort }), filter, isToggled, active };
}

/** Returns a text that differs for other rows, or rows in another order. */
export function getArrangementId(state: TablePageState): string {
  return JSON.stringify({ ...toPageState(state), active: 0 });
}
