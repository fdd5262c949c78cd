import type { LeftOutCounts } from '../util/leftOut.ts';

/** A database of the connected service (§2.2). */
export interface Database {
  readonly id: string;
  /** The name that identifies the database in other operations (§2.2, D7: database name or id). */
  readonly name: string;
  readonly organization: string;
  /** May be empty. */
  readonly url: string;
  /** True if the service reports that it refuses transfers to the database (D43: read-only databases). */
  readonly readOnly?: boolean;
  /**
   * The state of the local service's file listing of a store (D62: stores through rclone). Present for a folder only
   * while searches wait for its scan, or if the listing leaves something out.
   */
  readonly listing?: StoreListing;
  /** The cluster that runs large transfers to and from the database; absent if none does. */
  readonly cluster?: ClusterOffer;
}

/** The cluster on which a transfer runs, as the local service reports it. */
export interface ClusterPlace {
  /** Maximum number of tasks of the transfer at a time. */
  readonly tasks: number;
  /** Absent for the default partition of the cluster. */
  readonly partition?: string;
}

/** A cluster that runs the transfers between two databases that reach one of its minimums. */
export interface ClusterOffer extends ClusterPlace {
  readonly minBytes: number;
  readonly minFiles: number;
}

/** Returns the cluster on which a transfer of files will run; undefined if it will run where its service does. */
export function findCluster(
  source: Database | undefined,
  destination: Database | undefined,
  files: readonly { readonly sizeBytes?: number }[],
): ClusterPlace | undefined {
  if (!source?.cluster || !destination?.cluster) return undefined;
  const { minBytes, minFiles, ...place } = destination.cluster;
  const sizeBytes = files.reduce((sum, file) => sum + (file.sizeBytes ?? 0), 0);
  return sizeBytes >= minBytes || files.length >= minFiles ? place : undefined;
}

/** Returns true if the local service serves the database from a store (D62: stores through rclone). */
export function isStore({ url }: Pick<Database, 'url'>): boolean {
  return url.startsWith('rclone:');
}

/** The state of a store's or a folder's file listing, as the local service reports it (D62: stores through rclone). */
export interface StoreListing {
  readonly state: 'scanning' | 'listed' | 'failed';
  /** The number of files that a search can find. */
  readonly files: number;
  /** The number of files that the running scan has found so far. */
  readonly scanned?: number;
  /** The time at which the last complete scan started, in ISO 8601 format. */
  readonly asOf?: string;
  /** The number of free bytes; absent if the store doesn't report it. */
  readonly freeBytes?: number;
  /** Names that the listing leaves out; absent if it leaves nothing out, or if that is unknown. */
  readonly leftOut?: LeftOutCounts;
  /** The reason why the last scan failed, as a clause that can continue a sentence. */
  readonly problem?: string;
}

/** A search parameter of one database, which some servers list (D26: service HTTP behavior). */
export interface SearchParameter {
  /** The type exactly as received, such as `string`, `number` or `array(string)`. */
  readonly type: string;
  /** The allowed values; empty if any value is allowed. */
  readonly values: readonly unknown[];
}
