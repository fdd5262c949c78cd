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
  /** The key of the search whose files are shown; absent for the checked files of all searches. */
  search: optional(isString),
  sort: optional(isSort),
  filter: isString,
  checkedOnly: isBoolean,
  /** Position of the row that was checked or opened last, which has the focus when the page starts. */
  active: isFiniteNumber,
};

const isColumn = object({ id: isString, label: isString, kind: oneOf('text', 'size') });

/** A column of the table. */
export type ShownColumn = Guarded<typeof isColumn>;

const isSnapshot = object({
  ...view,
  /** Changes whenever rows that were sent may have changed. */
  version: isFiniteNumber,
  title: isString,
  columns: array(isColumn),
  /** The number of all rows. */
  total: isFiniteNumber,
  /** The number of rows that are shown, and how many of them are checked. */
  shown: isFiniteNumber,
  shownChecked: isFiniteNumber,
  /** Says that no rows are shown, and why. */
  emptyText: isString,
  /** Describes the checked files of all searches. */
  checkedText: isString,
  hasChecked: isBoolean,
  isLoading: isBoolean,
  mayHaveMore: isBoolean,
  /** Says why the search failed or is gone. */
  problem: optional(isString),
  /** True if the request that failed can be repeated. */
  canRetry: isBoolean,
  /** Describes results that aren't in the table. */
  omission: optional(isString),
});

/** Everything that the table shows, except its rows. */
export type TableSnapshot = Guarded<typeof isSnapshot>;

const isRow = object({
  key: isString,
  /** A text or a number for each column; an empty text for what is unknown. */
  cells: array(either(isString, isFiniteNumber)),
  isChecked: isBoolean,
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
  object({ type: oneOf('arrange'), sort: optional(isSort), filter: isString, checkedOnly: isBoolean }),
  object({ type: oneOf('check'), index: isFiniteNumber, key: isString, isChecked: isBoolean }),
  object({ type: oneOf('open'), index: isFiniteNumber, key: isString }),
  object({ type: oneOf('checkShown'), isChecked: isBoolean }),
  typeOnly('transfer', 'cite', 'save', 'stop', 'more'),
);

/** Messages from the table to its host. */
export type TableIntent = Guarded<typeof isTableIntent>;

/** Checks the state that the editor restores after a reload. */
export const isTablePageState = object(view);

/** The state that the page saves across window reloads. */
export type TablePageState = Guarded<typeof isTablePageState>;
