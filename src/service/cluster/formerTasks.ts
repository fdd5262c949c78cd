import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import * as z from 'zod/mini';
import { settlesWithin, type Clock } from '../../core/util/clock.ts';
import { writeFileAtomically } from '../../core/util/durableFiles.ts';
import { parseJsonObject } from '../../core/util/json.ts';
import type { Logger } from '../../core/util/logger.ts';
import { describeCount } from '../transfers/journal.ts';
import { isFolder } from '../transfers/transferErrors.ts';
import { Cluster } from './cluster.ts';

interface FormerTasks {
  /** The folder of the service's own files. */
  readonly dataFolder: string;
  /** The cluster of the configuration, if it has one. */
  readonly cluster: Cluster | undefined;
  /** IDs of the transfers that may have tasks. */
  readonly transferIds: ReadonlySet<string>;
  /** IDs of those that the cluster no longer takes. */
  readonly tooSmallIds: ReadonlySet<string>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const endLimitMs = 15_000;
const foldersSchema = z.object({ folders: z.array(z.string()) });

/**
 * Ends the tasks in folders that the configuration had at earlier starts and no longer has, and those of transfers that
 * the cluster no longer takes: nobody would follow them, and their transfers go on without them. Remembers the folder of
 * this start, and those where tasks may still work because Slurm doesn't respond or the folder is unavailable. Never
 * rejects.
 */
export async function endFormerTasks(options: FormerTasks): Promise<void> {
  const { dataFolder, cluster, transferIds, tooSmallIds, clock, logger } = options;
  const file = getFile(dataFolder);
  const known = await readFolders(file);
  const current = cluster === undefined ? [] : [cluster.folder];
  const kept = [...current];
  if (cluster !== undefined) {
    const reason = `cluster.slurm.minBytes and minFiles no longer allow all tasks in ${cluster.folder}`;
    await endTasksIn(cluster, tooSmallIds, reason, options);
  }
  for (const folder of known.filter((one) => !current.includes(one))) {
    const former = new Cluster({ slurm: { folder } }, clock);
    const isEnded = await endTasksIn(former, transferIds, `cluster.slurm.folder is no longer ${folder}`, options);
    if (!isEnded) kept.push(folder);
  }
  if (JSON.stringify(kept) === JSON.stringify(known)) return;
  await writeFolders(file, kept).catch((error: unknown) => logger.error(`${file} cannot be written: ${String(error)}`));
}

/** Remembers a folder in which tasks may work from now on, for {@link endFormerTasks} at a later start. */
export async function rememberTasksFolder(dataFolder: string, folder: string): Promise<void> {
  const file = getFile(dataFolder);
  await writeFolders(file, [...new Set([...(await readFolders(file)), folder])]);
}

function getFile(dataFolder: string): string {
  return nodePath.join(dataFolder, 'cluster.json');
}

async function writeFolders(file: string, folders: readonly string[]): Promise<void> {
  await writeFileAtomically(file, JSON.stringify({ folders }), true);
}

async function readFolders(file: string): Promise<readonly string[]> {
  const text = await fs.readFile(file, 'utf8').catch(() => '');
  return z.safeParse(foldersSchema, parseJsonObject(text)).data?.folders ?? [];
}

async function endTasksIn(
  cluster: Cluster,
  transferIds: ReadonlySet<string>,
  reason: string,
  { clock, logger }: FormerTasks,
): Promise<boolean> {
  const end = async (): Promise<boolean> => {
    // The folder may be on a disk that isn't connected.
    if (!(await isFolder(cluster.folder))) return transferIds.size === 0;
    const ids = (await cluster.listTransfers()).filter((id) => transferIds.has(id));
    if (ids.length === 0) return true;
    logger.warn(`${reason}: the tasks of ${describeCount(ids.length, 'transfer')} there are ended`);
    const results = await Promise.all(ids.map(async (id) => await cluster.endTasks(id)));
    const areEnded = !results.includes(false);
    const text = `tasks in ${cluster.folder} end by themselves within about a minute`;
    if (!areEnded) logger.warn(`Slurm doesn't respond: ${text}`);
    return areEnded;
  };
  // The folder may be on a disk that hangs (D42: hanging disks).
  const ending = end().catch(() => false);
  return (await settlesWithin(clock, endLimitMs, ending)) && (await ending);
}
