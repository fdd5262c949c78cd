import type { FinishedGroup } from '../features/transfers/finishedGroups.ts';
import type {
  ConnectionNode,
  DatabaseNode,
  EmptySearchesNode,
  FileNode,
  PlanNode,
  SearchNode,
  TransferNode,
} from '../editor/contributions.ts';

/** Groups the databases of an organization. */
interface OrganizationNode {
  readonly kind: 'organization';
  readonly name: string;
}

/** Describes a row with a message, for example that rows are loading or that a request failed. */
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
    | 'list'
    | 'start';
  readonly text: string;
  /** Text that is shown in gray after the main text. */
  readonly description?: string;
  readonly tooltip?: string;
  /** Command that runs when the user clicks the row or presses Enter. */
  readonly command?: { readonly id: string; readonly title: string; readonly argument?: unknown };
}

/** Groups a range of files in a large search. `start` is the zero-based position of the first file. */
export interface PartNode {
  readonly kind: 'part';
  readonly searchKey: string;
  readonly start: number;
}

/** Groups the IDs for which a search found no file. */
export interface MissingNode {
  readonly kind: 'missing';
  readonly searchKey: string;
  /** True for IDs that the service doesn't know; false for IDs that couldn't be looked up. */
  readonly isUnknown: boolean;
}

/** Groups a search's checked files that aren't among the results. */
interface UnlistedNode {
  readonly kind: 'unlisted';
  readonly searchKey: string;
}

/** Groups the searches of a connection that isn't the active one. */
export interface OtherConnectionNode {
  readonly kind: 'otherConnection';
  readonly connectionId: string;
}

/** Groups transfers by status, and finished transfers by the time they ended. */
export interface TransferGroupNode {
  readonly kind: 'group';
  readonly group: 'proposed' | 'running' | 'notConfirmed' | FinishedGroup;
}

/** Describes a row in the Databases view. */
export type DatabaseTreeNode = ConnectionNode | OrganizationNode | DatabaseNode | MessageNode;

/** Describes a row in the Search Results view. */
export type SearchTreeNode =
  OtherConnectionNode | SearchNode | EmptySearchesNode | PartNode | FileNode | UnlistedNode | MissingNode | MessageNode;

/** Describes a row in the Transfers view. */
export type TransferTreeNode = TransferGroupNode | PlanNode | TransferNode | MessageNode;
