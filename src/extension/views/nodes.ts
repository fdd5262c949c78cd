import type { FinishedGroup } from './finishedGroups.ts';
import type { ConnectionNode, DatabaseNode, FileNode, SearchNode, TransferNode } from '../editor/contributions.ts';

/** Groups the databases of an organization. */
interface OrganizationNode {
  readonly kind: 'organization';
  readonly name: string;
}

/** Describes a row with a message, for example that rows are loading or a request failed. */
export interface MessageNode {
  readonly kind: 'message';
  readonly id: string;
  readonly icon:
    | 'loading'
    | 'nothing'
    | 'error'
    | 'retry'
    | 'key'
    | 'orcid'
    | 'edit'
    | 'more'
    | 'unreadable'
    | 'missing'
    | 'about'
    | 'switch'
    | 'list';
  readonly text: string;
  /** Shown in gray after the text. */
  readonly description?: string;
  readonly tooltip?: string;
  /** Runs on a click and on Enter. */
  readonly command?: { readonly id: string; readonly title: string; readonly argument?: unknown };
}

/** Groups a part of the files of a large search, from the 0-based position `start` on. */
export interface PartNode {
  readonly kind: 'part';
  readonly searchKey: string;
  readonly start: number;
}

/** Groups the IDs of a search that led to no file. */
export interface MissingNode {
  readonly kind: 'missing';
  readonly searchKey: string;
  /** True for IDs that the service doesn't know; false for IDs that couldn't be looked up. */
  readonly isUnknown: boolean;
}

/** Groups the checked files that the results of a search do not contain. */
interface UnlistedNode {
  readonly kind: 'unlisted';
  readonly searchKey: string;
}

/** Groups the searches of a connection that isn't the active one. */
export interface OtherConnectionNode {
  readonly kind: 'otherConnection';
  readonly connectionId: string;
}

/** Groups transfers by their status, and finished ones by their end. */
export interface TransferGroupNode {
  readonly kind: 'group';
  readonly group: 'running' | 'notConfirmed' | FinishedGroup;
}

/** Describes a row of the databases. */
export type DatabaseTreeNode = ConnectionNode | OrganizationNode | DatabaseNode | MessageNode;

/** Describes a row of the search results. */
export type SearchTreeNode =
  OtherConnectionNode | SearchNode | PartNode | FileNode | UnlistedNode | MissingNode | MessageNode;

/** Describes a row of the transfers. */
export type TransferTreeNode = TransferGroupNode | TransferNode | MessageNode;
