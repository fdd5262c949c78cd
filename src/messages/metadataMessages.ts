import type { FileEntry, FoundFile, UnreadableFile } from '../core/model/fileEntry.ts';
import { amount, exactly, flag, optional, record, shape, text, variant, word, type Guard } from './guards.ts';
import {
  bare,
  commonIntents,
  isPageRemedy,
  isPageWords,
  type CommonIntent,
  type PageRemedy,
  type PageWords,
} from './pageMessages.ts';

type Staging = 'staged' | 'unstaged';

/** The file that a page shows, in the fields by which commands name a file. */
interface PageFile {
  readonly connectionId: string;
  /** Name of the database. */
  readonly database: string;
  readonly id: string;
  /** What to call it until its metadata is there. */
  readonly name: string;
}

/** Everything that the metadata page shows at one moment. */
export interface MetadataSnapshot {
  readonly ref: PageFile;
  /** A page that is not kept shows the next file that is looked at. */
  readonly kept: boolean;
  /** The service is being asked. */
  readonly loading: boolean;
  readonly found?: FoundFile;
  /** Whether a copy can begin at once, where that is known (D31). */
  readonly staging?: Staging;
  /** When `found` was received, in milliseconds since 1970. */
  readonly receivedAt?: number;
  /** `found` is from before a reload of the window. */
  readonly old?: boolean;
  /** Why there is nothing, or nothing newer: a sentence for the person. */
  readonly problem?: string;
  /** The remedy for the problem, besides trying again. */
  readonly remedy?: PageRemedy;
}

/** What the host says to the metadata page. */
export type MetadataNews =
  | { readonly type: 'start'; readonly words: PageWords; readonly snapshot: MetadataSnapshot }
  | { readonly type: 'snapshot'; readonly snapshot: MetadataSnapshot };

/** What the metadata page says to the host. */
export type MetadataIntent =
  | CommonIntent
  | { readonly type: 'transfer' }
  | { readonly type: 'showJson' }
  | { readonly type: 'copyHash' }
  | { readonly type: 'keep' }
  | { readonly type: 'retry' };

/** What the page keeps over a reload of the window. */
export interface MetadataPageState {
  readonly ref: PageFile;
  readonly kept: boolean;
  /** Left out when it is too large to be kept. */
  readonly found?: FoundFile;
  readonly staging?: Staging;
  /** When `found` was received, in milliseconds since 1970. */
  readonly receivedAt?: number;
}

const pageFile = shape<PageFile>({ connectionId: text, database: text, id: text, name: text });

const fileEntry = shape<FileEntry>({
  kind: exactly('file'),
  id: text,
  database: text,
  name: text,
  path: optional(text),
  title: optional(text),
  description: optional(text),
  format: optional(text),
  mediaType: optional(text),
  sizeBytes: optional(amount),
  hash: optional(text),
  resource: record,
});

const unreadableFile = shape<UnreadableFile>({
  kind: exactly('unreadable'),
  text,
});

const foundFile: Guard<FoundFile> = (value): value is FoundFile => fileEntry(value) || unreadableFile(value);

const staging = word<Staging>({ staged: true, unstaged: true });

const snapshot = shape<MetadataSnapshot>({
  ref: pageFile,
  kept: flag,
  loading: flag,
  found: optional(foundFile),
  staging: optional(staging),
  receivedAt: optional(amount),
  old: optional(flag),
  problem: optional(text),
  remedy: optional(isPageRemedy),
});

/** Guard for what arrives at the metadata page. */
export const isMetadataNews = variant<MetadataNews>({
  start: shape<Extract<MetadataNews, { type: 'start' }>>({
    type: exactly('start'),
    words: isPageWords,
    snapshot,
  }),
  snapshot: shape<Extract<MetadataNews, { type: 'snapshot' }>>({
    type: exactly('snapshot'),
    snapshot,
  }),
});

/** Guard for what arrives at the host. */
export const isMetadataIntent = variant<MetadataIntent>({
  ...commonIntents,
  transfer: bare('transfer'),
  showJson: bare('showJson'),
  copyHash: bare('copyHash'),
  keep: bare('keep'),
  retry: bare('retry'),
});

/** Guard for what the editor brings back after a reload. */
export const isMetadataPageState = shape<MetadataPageState>({
  ref: pageFile,
  kept: flag,
  found: optional(foundFile),
  staging: optional(staging),
  receivedAt: optional(amount),
});
