import type { ConnectionNode, DatabaseNode, FileNode, SearchNode, TransferNode } from '../host/contributions.ts';

/** Holds the databases of one organization. */
interface OrganizationNode {
  readonly kind: 'organization';
  readonly name: string;
}

/** A row that says something: loading, nothing found, or what went wrong. */
export interface MessageNode {
  readonly kind: 'message';
  readonly id: string;
  readonly look:
    'loading' | 'nothing' | 'error' | 'retry' | 'key' | 'orcid' | 'edit' | 'more' | 'unreadable' | 'missing' | 'about';
  readonly text: string;
  readonly tooltip?: string;
  /** What a click, or Enter, does. */
  readonly command?: { readonly id: string; readonly title: string; readonly argument?: unknown };
}

/** Holds some of the files of a search that has brought very many: those from `start` on, 0-based. */
export interface PartNode {
  readonly kind: 'part';
  readonly searchKey: string;
  readonly start: number;
}

/** Holds the ids of a search that brought no file, for one of two reasons. */
export interface MissingNode {
  readonly kind: 'missing';
  readonly searchKey: string;
  /** The service does not know them; otherwise they could not be looked up. */
  readonly isUnknown: boolean;
}

/** Holds the transfers that run, that were not confirmed, or that have finished. */
export interface TransferGroupNode {
  readonly kind: 'group';
  readonly group: 'running' | 'notConfirmed' | 'finished';
}

/** A row of the databases. */
export type DatabaseTreeNode = ConnectionNode | OrganizationNode | DatabaseNode | MessageNode;

/** A row of the search results. */
export type SearchTreeNode = SearchNode | PartNode | FileNode | MissingNode | MessageNode;

/** A row of the transfers. */
export type TransferTreeNode = TransferGroupNode | TransferNode | MessageNode;
