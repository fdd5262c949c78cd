import type { ClusterPlace } from '../model/databaseModel.ts';
import type { Wording } from './sharedSentences.ts';

interface ClusterWording extends Wording {
  /** Chooses between the sentence for one and the one for several. */
  readonly plural: (count: number, one: string, other: string, ...others: readonly string[]) => string;
}

/** Describes the cluster on which a transfer runs, such as "cluster, partition xfer, up to 8 tasks at a time". */
export function describeCluster({ plural, toPlainLine }: ClusterWording, { tasks, partition }: ClusterPlace): string {
  return partition === undefined
    ? plural(tasks, 'cluster, {0} task at a time', 'cluster, up to {0} tasks at a time')
    : plural(
        tasks,
        'cluster, partition {1}, {0} task at a time',
        'cluster, partition {1}, up to {0} tasks at a time',
        toPlainLine(partition),
      );
}
