import * as z from 'zod/mini';

/** Schemas of the fields that the service also reports. */
export const clusterFields = {
  tasks: z.int().check(z.gte(1), z.lte(1_000), z.describe('Maximum number of tasks of a transfer at a time.')),
  partition: z.string().check(z.minLength(1), z.describe('Partition of the tasks; that of the cluster if absent.')),
  minBytes: z.number().check(z.gte(0), z.describe('Number of bytes from which a transfer runs on it.')),
  minFiles: z.number().check(z.gte(0), z.describe('Number of files from which a transfer runs on it.')),
} as const;

/** The configuration of transfers that run as tasks on the nodes of a cluster. */
export const clusterSchema = z
  .strictObject({
    slurm: z
      .strictObject({
        folder: z.string().check(z.minLength(1), z.describe('Folder that all nodes reach under the same path.')),
        partition: z.optional(clusterFields.partition),
        tasks: z.optional(clusterFields.tasks),
        options: z.optional(
          z.array(z.string()).check(z.describe('Further options of `sbatch`, each as `--name=value`.')),
        ),
        node: z.optional(
          z.string().check(z.minLength(1), z.describe("Path of Node.js on the nodes; the service's if absent.")),
        ),
        minBytes: z.optional(clusterFields.minBytes),
        minFiles: z.optional(clusterFields.minFiles),
      })
      .check(z.describe('A cluster that Slurm manages.')),
  })
  .check(z.describe('The cluster whose nodes run large transfers between folders.'));

/** See {@link clusterSchema}. */
export type ClusterConfig = z.infer<typeof clusterSchema>;

/** A field of a {@link ClusterConfig} that can't be used, and why, as a clause that follows the field. */
interface ClusterProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

const optionPattern = /^--[a-z][^\s=\p{Cc}]*(?:=[^\p{Cc}]*)?$/u;
const spacedPattern = /^(--[a-z][^\s=\p{Cc}]*) +(?:= *)?([^\s=\p{Cc}][^\p{Cc}]*)$/u;

/** Returns the first option that isn't one of `sbatch`, which the schema can't express; undefined if there is none. */
export function findOptionProblem({ slurm }: ClusterConfig): ClusterProblem | undefined {
  const { options = [] } = slurm;
  const index = options.findIndex((option) => !optionPattern.test(option));
  if (index === -1) return undefined;
  const [, name, value] = spacedPattern.exec(options[index] ?? '') ?? [];
  const message =
    name === undefined ? 'must be an option such as "--account=lab"' : `must be written as "${name}=${value}"`;
  return { path: ['slurm', 'options', index], message };
}

/** The cluster on which a transfer runs, as its status describes it. */
export interface ClusterSummary {
  /** Maximum number of tasks at a time. */
  readonly tasks: number;
  readonly partition?: string;
}
