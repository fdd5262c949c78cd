import * as fs from 'node:fs';
import * as path from 'node:path';
import * as z from 'zod/mini';
import { isInside } from './catalog/fileSight.ts';
import { describeIssue } from './http/issues.ts';

const databaseConfigSchema = z.strictObject({
  name: z.string().check(z.minLength(1)),
  /** The folder that is the database (D20). */
  folder: z.string().check(z.minLength(1)),
  organization: z.optional(z.string()),
  /** Refuses transfers to it (D43). */
  readOnly: z.optional(z.boolean()),
  /** Left out, it is a slug of the name. */
  id: z.optional(z.string().check(z.regex(/^[a-z0-9][-a-z0-9_]*$/))),
});

const serviceConfigSchema = z.strictObject({
  /** Where catalogues and the journal of transfers are kept; made when it is not there. */
  dataFolder: z.string().check(z.minLength(1)),
  databases: z.array(databaseConfigSchema),
  /** 0 or left out: a free one. */
  port: z.optional(z.int().check(z.gte(0), z.lte(65_535))),
  /** How long ended transfers are remembered, in days (D25). */
  retentionDays: z.optional(z.number().check(z.gte(0))),
  /**
   * Tells of itself in a file, so that all windows of a person share it, and ends by itself some time after the last
   * lease and the last running transfer are gone (D29).
   */
  shared: z.optional(z.boolean()),
  /** Ends the service when its standard input ends, so that it never outlives the program that started it. */
  endWithStdin: z.optional(z.boolean()),
  /**
   * A file with the token, which then survives a restart; readable by its owner only, created where it isn't there
   * (D40). Left out, the token is new at every start.
   */
  tokenFile: z.optional(z.string().check(z.minLength(1))),
  /** Values of the Host header that are accepted besides those of loopback: of a reverse proxy on this machine (D40). */
  trustedHosts: z.optional(z.array(z.string())),
  /** Most bytes that one transfer copies a second: leaves room for others on a shared disk. */
  throttleBytesPerSecond: z.optional(z.number().check(z.gt(0))),
});

/** One database of the configuration; its folder is an absolute path. */
export type DatabaseConfig = z.infer<typeof databaseConfigSchema>;

/** The service's configuration; its folders are absolute paths. */
export type ServiceConfig = z.infer<typeof serviceConfigSchema>;

/** The configuration is wrong; the message names each wrong field. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Reads a configuration from JSON text. Relative folders are relative to `baseFolder`. Throws {@link ConfigError}. */
export function parseConfig(text: string, baseFolder: string): ServiceConfig {
  const result = z.safeParse(serviceConfigSchema, parseJson(text));
  if (!result.success) {
    const lines = result.error.issues.map((issue) => describeIssue(issue, 'config'));
    throw new ConfigError(lines.map((line) => `${line.location} ${line.message}`).join('; '));
  }
  const config = result.data;
  refuseDoubles(config.databases, 'name');
  refuseDoubles(config.databases, 'id');
  refuseNoHosts(config.trustedHosts ?? []);
  const dataFolder = path.resolve(baseFolder, config.dataFolder);
  const databases = config.databases.map((database) => ({
    ...database,
    folder: path.resolve(baseFolder, database.folder),
  }));
  refuseSameFolder(databases);
  // What the service writes there would be served, and every write would look like a change of the database.
  refuseServed(databases, 'dataFolder', dataFolder);
  if (config.tokenFile === undefined) return { ...config, dataFolder, databases };
  const tokenFile = path.resolve(baseFolder, config.tokenFile);
  refuseServed(databases, 'tokenFile', tokenFile);
  return { ...config, dataFolder, databases, tokenFile };
}

function refuseServed(databases: readonly DatabaseConfig[], field: 'dataFolder' | 'tokenFile', place: string): void {
  const holder = databases.find(
    ({ folder }) => isInside(folder, place) || isInside(resolveLinks(folder), resolveLinks(place)),
  );
  if (holder === undefined) return;
  throw new ConfigError(`config.${field} must not be inside the folder of the database ${holder.name}`);
}

const hostPattern = /^(?:[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

function refuseNoHosts(hosts: readonly string[]): void {
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

/** Two names for one folder, also through a link, would be served as the one database that it is, under one of them. */
function refuseSameFolder(databases: readonly DatabaseConfig[]): void {
  const names = new Map<string, string>();
  for (const [index, { name, folder }] of databases.entries()) {
    const place = resolveLinks(folder);
    const other = names.get(place);
    if (other !== undefined) {
      throw new ConfigError(`config.databases.${index}.folder is also the folder of the database ${other}: ${folder}`);
    }
    names.set(place, name);
  }
}

/** Returns where a path leads. Of one that is not there, only the links on the way to it are resolved. */
function resolveLinks(place: string): string {
  try {
    return fs.realpathSync.native(place);
  } catch {
    const parent = path.dirname(place);
    return parent === place ? place : path.join(resolveLinks(parent), path.basename(place));
  }
}

function refuseDoubles(databases: readonly DatabaseConfig[], field: 'name' | 'id'): void {
  const seen = new Set<string>();
  for (const [index, database] of databases.entries()) {
    const value = database[field];
    if (value === undefined) continue;
    if (seen.has(value)) throw new ConfigError(`config.databases.${index}.${field} is used twice: ${value}`);
    seen.add(value);
  }
}
