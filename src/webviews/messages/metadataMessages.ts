import type { FileEntry, FoundFile, UnreadableFile } from '../../core/model/fileEntry.ts';
import {
  array,
  isFiniteNumber,
  literal,
  isBoolean,
  optional,
  isRecord,
  object,
  isString,
  taggedUnion,
  oneOf,
  type Guard,
} from './guards.ts';
import {
  commonIntents,
  isPageRemedy,
  isPageWords,
  type CommonIntent,
  type PageRemedy,
  type PageWords,
} from './pageMessages.ts';

type Staging = 'staged' | 'unstaged';

/** A reference to the file that a page shows; it has the fields that commands use. */
interface PageFile {
  readonly connectionId: string;
  /** Name of the database. */
  readonly database: string;
  readonly id: string;
  /** The name to show until the metadata is loaded. */
  readonly name: string;
}

/** A file with the same content in another database. */
interface PageCopy {
  readonly database: string;
  readonly name: string;
}

/** Everything that the metadata page currently shows. */
export interface MetadataSnapshot {
  readonly ref: PageFile;
  /** False for a preview, which is reused when the next file is opened. */
  readonly kept: boolean;
  /** True while a request to the service is pending. */
  readonly loading: boolean;
  readonly found?: FoundFile;
  /** Absent if the staging status is unknown (D31: staged display). */
  readonly staging?: Staging;
  /** Files with the same content in other databases; absent if none are known (D60: same content). */
  readonly copies?: readonly PageCopy[];
  /** The time at which `found` was received, in milliseconds since 1970. */
  readonly receivedAt?: number;
  /** The file's citation in APA style. Absent until the complete metadata is known. */
  readonly citation?: string;
  /** True if `found` was received before the window was reloaded. */
  readonly old?: boolean;
  /** A message that explains why the metadata is missing or may be out of date. */
  readonly problem?: string;
  /** A remedy for the problem, other than retrying. */
  readonly remedy?: PageRemedy;
}

/** Messages from the host to the metadata page. */
export type MetadataHostMessage =
  | { readonly type: 'start'; readonly words: PageWords; readonly snapshot: MetadataSnapshot }
  | { readonly type: 'snapshot'; readonly snapshot: MetadataSnapshot };

/** Messages from the metadata page to the host. */
export type MetadataIntent =
  | CommonIntent
  | { readonly type: 'transfer' }
  | { readonly type: 'showJson' }
  | { readonly type: 'cite' }
  | { readonly type: 'copyHash' }
  | { readonly type: 'keep' }
  | { readonly type: 'retry' };

/**
 * The state that the page saves across window reloads. Lacks `found` and `receivedAt` while the metadata is loading, or
 * if the metadata is too large to save.
 */
export type MetadataPageState = Pick<MetadataSnapshot, 'ref' | 'kept' | 'found' | 'staging' | 'receivedAt'>;

const pageFile = object<PageFile>({ connectionId: isString, database: isString, id: isString, name: isString });

const fileEntry = object<FileEntry>({
  kind: literal('file'),
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
  isSummary: optional((value) => value === true),
});

const unreadableFile = object<UnreadableFile>({
  kind: literal('unreadable'),
  text: isString,
});

const foundFile: Guard<FoundFile> = (value): value is FoundFile => fileEntry(value) || unreadableFile(value);

const staging = oneOf<Staging>({ staged: true, unstaged: true });

const pageState = {
  ref: pageFile,
  kept: isBoolean,
  found: optional(foundFile),
  staging: optional(staging),
  receivedAt: optional(isFiniteNumber),
};

const copy = object<PageCopy>({ database: isString, name: isString });

const snapshot = object<MetadataSnapshot>({
  ...pageState,
  copies: optional(array(copy)),
  loading: isBoolean,
  citation: optional(isString),
  old: optional(isBoolean),
  problem: optional(isString),
  remedy: optional(isPageRemedy),
});

/** Checks messages that arrive at the metadata page. */
export const isMetadataHostMessage = taggedUnion<MetadataHostMessage>({
  start: { words: isPageWords, snapshot },
  snapshot: { snapshot },
});

/** Checks messages that arrive at the host. */
export const isMetadataIntent = taggedUnion<MetadataIntent>({
  ...commonIntents,
  transfer: {},
  showJson: {},
  cite: {},
  copyHash: {},
  keep: {},
  retry: {},
});

/** Checks the state that the editor restores after a reload. */
export const isMetadataPageState = object<MetadataPageState>(pageState);
