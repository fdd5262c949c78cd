import type { FileEntry, UnreadableFile } from '../../core/model/fileEntry.ts';
import {
  array,
  either,
  isBoolean,
  isFiniteNumber,
  isRecord,
  isString,
  isTrue,
  object,
  oneOf,
  optional,
  typeOnly,
  type FieldGuards,
  type Guard,
  type Guarded,
} from './guards.ts';
import { isCommonIntent, isPageRemedy, isPageWords } from './pageMessages.ts';

const isFileEntry = object({
  kind: oneOf('file'),
  id: isString,
  database: isString,
  name: isString,
  path: optional(isString),
  title: optional(isString),
  description: optional(isString),
  format: optional(isString),
  mediaType: optional(isString),
  sizeBytes: optional(isFiniteNumber),
  hash: optional(isString),
  resource: isRecord,
  isSummary: optional(isTrue),
} satisfies FieldGuards<FileEntry>);

const isUnreadableFile = object({ kind: oneOf('unreadable'), text: isString } satisfies FieldGuards<UnreadableFile>);

const isFoundFile = either(isFileEntry, isUnreadableFile);

const pageState = {
  /** Refers to the file that a page shows. `name` is shown until the metadata is loaded. */
  ref: object({ connectionId: isString, database: isString, id: isString, name: isString }),
  /** False for a preview, which is reused when the next file is opened. */
  kept: isBoolean,
  found: optional(isFoundFile),
  /** Absent if the staging status is unknown (D31: staged display). */
  staging: optional(oneOf('staged', 'unstaged')),
  /** The time at which `found` was received, in milliseconds since 1970. */
  receivedAt: optional(isFiniteNumber),
};

const isList: Guard<readonly unknown[]> = (value) => Array.isArray(value);

const isShownImage = object({
  state: oneOf('image'),
  type: oneOf('image/png', 'image/jpeg', 'image/gif', 'image/webp'),
  /** The size in pixels that the image's header states. */
  width: isFiniteNumber,
  height: isFiniteNumber,
  /** The image, in base64. */
  content: isString,
  /** The sentence in its place if it can't be decoded. */
  failure: isString,
});

/** An image, as a page shows it. */
export type ShownImage = Guarded<typeof isShownImage>;

const isShownPreview = either(
  object({ state: oneOf('loading') }),
  /** With `remedy`, the file can be opened instead. */
  object({ state: oneOf('problem'), text: isString, remedy: optional(oneOf('open')) }),
  object({ state: oneOf('table'), header: array(isString), rows: array(array(isString)), note: optional(isString) }),
  object({ state: oneOf('json'), value: either(isRecord, isList) }),
  isShownImage,
);

/** The beginning of a file's content, as a page shows it. */
export type ShownPreview = Guarded<typeof isShownPreview>;

const isSnapshot = object({
  ...pageState,
  /** Files with the same content in other databases; absent if none are known (D60: same content). */
  copies: optional(array(object({ database: isString, name: isString }))),
  /** True if the file can be opened without a transfer. */
  canOpen: optional(isTrue),
  /** The part of the file that can be shown on request; absent if none can. */
  offer: optional(oneOf('beginning', 'image')),
  /** Absent until the user requests it. */
  preview: optional(isShownPreview),
  /** True while a request to the service is pending. */
  loading: isBoolean,
  /** The file's citation in APA style. Absent until the complete metadata is known. */
  citation: optional(isString),
  /** True if `found` was received before the window was reloaded. */
  old: optional(isBoolean),
  /** A message that explains why the metadata is missing or may be out of date. */
  problem: optional(isString),
  /** A remedy for the problem, other than retrying. */
  remedy: optional(isPageRemedy),
});

/** Everything that the metadata page currently shows. */
export type MetadataSnapshot = Guarded<typeof isSnapshot>;

/** Checks messages that arrive at the metadata page. */
export const isMetadataHostMessage = either(
  object({ type: oneOf('start'), words: isPageWords, snapshot: isSnapshot }),
  object({ type: oneOf('snapshot'), snapshot: isSnapshot }),
);

/** Messages from the host to the metadata page. */
export type MetadataHostMessage = Guarded<typeof isMetadataHostMessage>;

/** Checks messages that arrive at the host. */
export const isMetadataIntent = either(
  isCommonIntent,
  typeOnly('transfer', 'open', 'preview', 'showJson', 'cite', 'copyHash', 'keep', 'retry'),
);

/** Messages from the metadata page to the host. */
export type MetadataIntent = Guarded<typeof isMetadataIntent>;

/** Checks the state that the editor restores after a reload. */
export const isMetadataPageState = object(pageState);

/**
 * The state that the page saves across window reloads. Lacks `found` and `receivedAt` while the metadata is loading, or
 * if the metadata is too large to save.
 */
export type MetadataPageState = Guarded<typeof isMetadataPageState>;
