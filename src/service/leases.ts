import * as nodePath from 'node:path';
import { Emitter } from '../core/util/lifetime.ts';
import { findRemoteProblem } from '../core/util/remote.ts';
import { isInside } from './catalog/servedPaths.ts';
import { findOptionProblem, type ClusterConfig } from './cluster/clusterConfig.ts';
import { describeServedPlace, isServed, type DatabaseConfig } from './config.ts';
import type { DatabaseRegistry, DatabaseServing } from './databases/databaseRegistry.ts';
import { inspectFolder } from './folderCalls.ts';
import { createFieldProblem, createFieldsProblem, type FieldProblem } from './http/httpProblem.ts';
import type { LineStream, RouteResponse } from './http/router.ts';
import type { LeaseLine, LeaseRequest } from './wire/apiSchemas.ts';

/** Uses a cluster, or none, for new transfers. Resolves to false if nothing has changed. */
type ClusterChange = (cluster: ClusterConfig | undefined) => Promise<boolean>;

type LeasedDatabase = LeaseRequest['databases'][number];

/** Creates a problem for a field of the lease request. */
type ProblemReport = (field: string, message: string) => FieldProblem;

const controlCharacter = /\p{Cc}/u;

/** Manages leases. Each serves its folders and stores as long as its connection (D29: shared service). */
export class Leases {
  private readonly registry: DatabaseRegistry;
  private readonly dataFolder: string;
  private readonly applyCluster: ClusterChange;
  private readonly streams = new Set<LineStream>();
  private readonly changed = new Emitter<void>();

  readonly onDidChange = this.changed.event;

  constructor(registry: DatabaseRegistry, dataFolder: string, applyCluster: ClusterChange) {
    this.registry = registry;
    this.dataFolder = dataFolder;
    this.applyCluster = applyCluster;
    registry.onDidChange(() => this.broadcast({ event: 'databases' }));
  }

  get count(): number {
    return this.streams.size;
  }

  /** Opens a lease as long as its response; applies its cluster. Throws a 422 problem that lists what is invalid. */
  async open({ databases, cluster }: LeaseRequest): Promise<RouteResponse> {
    const errors = await Promise.all(databases.map(async (database, index) => await this.check(database, index)));
    const problems = [...errors, cluster && (await checkCluster(cluster, databases))].flatMap((error) => error ?? []);
    if (problems.length > 0) throw createFieldsProblem(problems);
    // First, so that transfers that resume once their databases are served find it.
    const hasChanged = cluster !== undefined && (await this.applyCluster(cluster ?? undefined));
    if (hasChanged) this.broadcast({ event: 'databases' });
    const serving = await this.registry.serve(databases.flatMap((database) => toDatabaseConfig(database) ?? []));
    return { status: 200, lines: (lines) => this.addStream(lines, serving) };
  }

  /** Ends all leases; the last line of each response contains the reason. */
  end(event: 'stopped' | 'replaced'): void {
    this.broadcast({ event });
    for (const lines of this.streams) lines.end();
  }

  private addStream(lines: LineStream, serving: DatabaseServing): void {
    this.streams.add(lines);
    lines.write({ databases: serving.databases.map(({ document }) => document) } satisfies LeaseLine);
    this.changed.fire();
    lines.onEnd(() => {
      this.streams.delete(lines);
      serving.dispose();
      this.changed.fire();
    });
  }

  private broadcast(line: LeaseLine): void {
    for (const lines of this.streams) lines.write(line);
  }

  private async check(database: LeasedDatabase, index: number): Promise<FieldProblem | undefined> {
    const { name, folder, remote, rescanMinutes, restore } = database;
    const report = (field: string, message: string): FieldProblem =>
      createFieldProblem('body', ['databases', index, field], message);
    if (name.trim() === '' || controlCharacter.test(name))
      return report('name', 'must not be blank or contain control characters');
    if (folder === undefined) return checkStore(database, report);
    if (remote !== undefined) return report('remote', 'must be absent if there is a folder');
    if (rescanMinutes !== undefined) return report('rescanMinutes', 'is for stores only: folders are watched');
    if (restore !== undefined) return report('restore', 'is for stores only: the files of folders are never archived');
    return await this.checkFolder(folder, report);
  }

  private async checkFolder(folder: string, report: ProblemReport): Promise<FieldProblem | undefined> {
    if (folder.includes('\0') || !nodePath.isAbsolute(folder)) return report('folder', 'must be an absolute path');
    const [dataFolder, realFolder] = await Promise.all([resolveRealPath(this.dataFolder), resolveRealPath(folder)]);
    // Otherwise, the service would serve its own files, and each write would change the database.
    if (isInside(realFolder, dataFolder)) return report('folder', 'must not contain the data folder of the service');
    if (isInside(dataFolder, realFolder)) return report('folder', 'must not be inside the data folder of the service');
    return undefined;
  }
}

async function checkCluster(
  config: ClusterConfig,
  databases: readonly LeasedDatabase[],
): Promise<FieldProblem | undefined> {
  const report = (path: readonly PropertyKey[], message: string): FieldProblem =>
    createFieldProblem('body', ['cluster', ...path], message);
  const problem = findOptionProblem(config);
  if (problem) return report(problem.path, problem.message);
  const { folder } = config.slurm;
  if (folder.includes('\0') || !nodePath.isAbsolute(folder))
    return report(['slurm', 'folder'], 'must be an absolute path');
  const place = await resolveRealPath(folder);
  for (const { name, folder: served } of databases)
    if (served !== undefined && isServed(await resolveRealPath(served), place))
      return report(['slurm', 'folder'], describeServedPlace(name));
  return undefined;
}

/** If the path does not exist or its disk hangs, returns it as an absolute path. */
async function resolveRealPath(path: string): Promise<string> {
  return (await inspectFolder(path)).realPath ?? nodePath.resolve(path);
}

function checkStore({ remote }: LeasedDatabase, report: ProblemReport): FieldProblem | undefined {
  if (remote === undefined) return report('folder', 'is missing: a folder or an rclone remote is required');
  const problem = findRemoteProblem(remote);
  return problem === undefined ? undefined : report('remote', problem);
}

/** Returns undefined for a database that has neither a folder nor a remote. */
function toDatabaseConfig(database: LeasedDatabase): DatabaseConfig | undefined {
  const { folder, remote, rescanMinutes, restore, ...fields } = database;
  if (folder !== undefined) return { ...fields, folder: nodePath.resolve(folder) };
  return remote === undefined ? undefined : { ...fields, remote, rescanMinutes, restore };
}
