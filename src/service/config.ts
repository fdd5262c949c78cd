import * as fs from 'node:fs';
import * as path from 'node:path';
import * as z from 'zod/mini';
import { findHiddenPath } from './catalog/catalogFile.ts';
import { isInside } from './catalog/servedPaths.ts';
import { clusterSchema, findOptionProblem, type ClusterConfig } from './cluster/clusterConfig.ts';
import { describeIssue } from './http/httpProblem.ts';
import { findRemoteProblem } from '../core/util/remote.ts';
import { restoreSchema, type RestoreOptions } from './stores/storeRestore.ts';

const databaseSchema = z.strictObject({
  name: z.string().check(z.minLength(1)),
  /** The folder to serve as the database (D20: folders as databases). */
  folder: z.optional(z.string().check(z.minLength(1))),
  /** Instead of a folder: an rclone remote with an optional path (D62: stores through rclone). */
  remote: z.optional(z.string().check(z.minLength(1))),
  /** Age of a store's listing, in minutes, at which a search starts a rescan; 60 if absent. */
  rescanMinutes: z.optional(z.number().check(z.gt(0))),
  /** Allows transfers from a store to restore its archived objects (D67: archived objects). */
  restore: z.optional(restoreSchema),
  organization: z.optional(z.string()),
  /** Refuses transfers to the database (D43: read-only databases). */
  readOnly: z.optional(z.boolean()),
  /** If absent, a database keeps its stored ID, and a new one gets a slug made from its name. */
  id: z.optional(z.string().check(z.regex(/^[a-z0-9][-a-z0-9_]*$/))),
});

const serviceConfigSchema = z.strictObject({
  /** Folder for catalogs and the transfer journal; created if missing. */
  dataFolder: z.string().check(z.minLength(1)),
  databases: z.array(databaseSchema),
  /** If absent, the PATH and common locations are searched (D62: stores through rclone). */
  rclone: z.optional(z.string().check(z.minLength(1))),
  /** Port to listen on; any free port if 0 or absent. */
  port: z.optional(z.int().check(z.gte(0), z.lte(65_535))),
  /** Number of days for which ended transfers are retained; 7 if absent (D25: durable transfers). */
  retentionDays: z.optional(z.number().check(z.gte(0))),
  /** Shares the service among a user's windows, until it has been idle for a while (D29: shared service). */
  shared: z.optional(z.boolean()),
  /** Stops the service when its standard input closes, so that the service exits with the program that started it. */
  endWithStdin: z.optional(z.boolean()),
  /** File with the token, created if missing; if absent, each start has a new one (D40: administered service). */
  tokenFile: z.optional(z.string().check(z.minLength(1))),
  /** Host header values to accept in addition to loopback, for a reverse proxy (D40: administered service). */
  trustedHosts: z.optional(z.array(z.string())),
  /** Maximum copy rate of one transfer, in bytes per second. Leaves bandwidth for other users of the disk. */
  throttleBytesPerSecond: z.optional(z.number().check(z.gt(0))),
  /** Maximum rate at which all transfers together read from and write to stores, in bytes per second. */
  storeBytesPerSecond: z.optional(z.number().check(z.gt(0))),
  /** Runs large transfers between folders on the nodes of a cluster. */
  cluster: z.optional(clusterSchema),
  /**
   * Allows submissions to name what is started after the transfer. If absent, true only for a
   * `shared` service, because others than the owner may use any other (D72: follow-ups).
   */
  followUps: z.optional(z.boolean()),
});

type DatabaseFields = Omit<z.infer<typeof databaseSchema>, 'folder' | 'remote' | 'rescanMinutes' | 'restore'>;

interface FolderConfig extends DatabaseFields {
  readonly folder: string;
  readonly remote?: undefined;
  readonly restore?: undefined;
}

interface StoreConfig extends DatabaseFields {
  readonly remote: string;
  readonly rescanMinutes?: number | undefined;
  readonly restore?: RestoreOptions | undefined;
  readonly folder?: undefined;
}

/** The configuration of a database: a folder or a store. */
export type DatabaseConfig = FolderConfig | StoreConfig;

/** The service's configuration, with absolute paths. */
export type ServiceConfig = Omit<z.infer<typeof serviceConfigSchema>, 'databases'> & {
  readonly databases: DatabaseConfig[];
};

/** Thrown for an unusable configuration or token file. The message is shown at the start of the service. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Parses a configuration, with paths relative to `baseFolder`. Throws {@link ConfigError} if it is invalid. */
export function parseConfig(text: string, baseFolder: string): ServiceConfig {
  const result = z.safeParse(serviceConfigSchema, parseJson(text));
  if (!result.success) {
    const lines = result.error.issues.map((issue) => describeIssue(issue, 'config'));
    throw new ConfigError(lines.map((line) => `${line.location} ${line.message}`).join('; '));
  }
  const config = result.data;
  refuseDuplicates(config.databases, 'name');
  refuseDuplicates(config.databases, 'id');
  refuseInvalidHosts(config.trustedHosts ?? []);
  const dataFolder = path.resolve(baseFolder, config.dataFolder);
  const databases = config.databases.map((database, index) => toDatabaseConfig(database, index, baseFolder));
  refuseSameLocation(databases);
  // Otherwise the service's own files would be served, and each write would change the database.
  refuseServed(databases, 'dataFolder', dataFolder);
  refuseInside(databases, dataFolder);
  const rclone = config.rclone === undefined ? {} : { rclone: path.resolve(baseFolder, config.rclone) };
  const cluster = config.cluster === undefined ? {} : { cluster: resolveCluster(config.cluster, baseFolder) };
  if (cluster.cluster) refuseServed(databases, 'cluster.slurm.folder', cluster.cluster.slurm.folder);
  if (config.tokenFile === undefined) return { ...config, ...rclone, ...cluster, dataFolder, databases };
  const tokenFile = path.resolve(baseFolder, config.tokenFile);
  refuseServed(databases, 'tokenFile', tokenFile);
  return { ...config, ...rclone, ...cluster, dataFolder, databases, tokenFile };
}

function resolveCluster(config: ClusterConfig, baseFolder: string): ClusterConfig {
  const problem = findOptionProblem(config);
  if (problem) throw new ConfigError(`config.cluster.${problem.path.join('.')} ${problem.message}`);
  return { slurm: { ...config.slurm, folder: path.resolve(baseFolder, config.slurm.folder) } };
}

function toDatabaseConfig(
  { folder, remote, rescanMinutes, restore, ...fields }: z.infer<typeof databaseSchema>,
  index: number,
  baseFolder: string,
): DatabaseConfig {
  const fail = (text: string): never => {
    throw new ConfigError(`config.databases.${index}${text}`);
  };
  if (folder !== undefined && remote !== undefined) return fail(' must have a folder or a remote, not both');
  if (remote !== undefined) {
    const problem = findRemoteProblem(remote);
    // The refused text is not repeated, because a connection string can contain a password.
    return problem === undefined ? { ...fields, remote, rescanMinutes, restore } : fail(`.remote ${problem}`);
  }
  if (rescanMinutes !== undefined) return fail('.rescanMinutes is for stores only: folders are watched');
  if (restore !== undefined) return fail('.restore is for stores only: the files of folders are never archived');
  if (folder === undefined) return fail(' must have a folder or an rclone remote');
  return { ...fields, folder: path.resolve(baseFolder, folder) };
}

function refuseServed(
  databases: readonly DatabaseConfig[],
  field: 'dataFolder' | 'tokenFile' | 'cluster.slurm.folder',
  file: string,
): void {
  const isWithin = field === 'cluster.slurm.folder' ? isServed : isInside;
  const owner = databases.find(({ folder }) => folder !== undefined && leadsInside(folder, file, isWithin));
  if (owner === undefined) return;
  throw new ConfigError(`config.${field} ${describeServedPlace(owner.name)}`);
}

/** Returns true if a folder is in that of a database under names that are served: those without a leading dot. */
export function isServed(served: string, folder: string): boolean {
  return isInside(served, folder) && findHiddenPath(`${path.relative(served, folder)}/`) === undefined;
}

/** Returns why a folder or file of the service can't be where it is, as a clause that follows the field. */
export function describeServedPlace(database: string): string {
  return `must not be inside the folder of the database ${database}`;
}

function refuseInside(databases: readonly DatabaseConfig[], dataFolder: string): void {
  const index = databases.findIndex(({ folder }) => folder !== undefined && leadsInside(dataFolder, folder));
  if (index === -1) return;
  throw new ConfigError(`config.databases.${index}.folder must not be inside the data folder of the service`);
}

/** Returns true if a path is the given folder or is inside it, as written or with links resolved. */
function leadsInside(folder: string, file: string, isWithin = isInside): boolean {
  return isWithin(folder, file) || isWithin(resolveLinks(folder), resolveLinks(file));
}

const hostPattern = /^(?:[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

function refuseInvalidHosts(hosts: readonly string[]): void {
  for (const [index, host] of hosts.entries()) {
    if (hostPattern.test(host)) continue;
    const examples = '"data.example.org" or "data.example.org:8443"';
    throw new ConfigError(
      `config.trustedHosts.${index} must be a host as browsers send it, such as ${examples}: ${host}`,
    );
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ConfigError('config is not valid JSON', { cause });
  }
}

/** Links count as the folders to which they lead. */
function refuseSameLocation(databases: readonly DatabaseConfig[]): void {
  const names = new Map<string, string>();
  for (const [index, { name, folder, remote }] of databases.entries()) {
    const [field, location] = folder === undefined ? ['remote', remote] : ['folder', resolveLinks(folder)];
    const key = `${field} ${location}`;
    const other = names.get(key);
    if (other !== undefined) {
      const shown = folder ?? remote;
      throw new ConfigError(
        `config.databases.${index}.${field} is also the ${field} of the database ${other}: ${shown}`,
      );
    }
    names.set(key, name);
  }
}

/** Resolves the links in a path. If the path does not exist, resolves those in the part that does. */
function resolveLinks(file: string): string {
  try {
    return fs.realpathSync.native(file);
  } catch {
    const parent = path.dirname(file);
    return parent === file ? file : path.join(resolveLinks(parent), path.basename(file));
  }
}

function refuseDuplicates(databases: readonly z.infer<typeof databaseSchema>[], field: 'name' | 'id'): void {
  const seen = new Set<string>();
  for (const [index, database] of databases.entries()) {
    const value = database[field];
    if (value === undefined) continue;
    if (seen.has(value)) throw new ConfigError(`config.databases.${index}.${field} is used twice: ${value}`);
    seen.add(value);
  }
}
