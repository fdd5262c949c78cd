import * as nodePath from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DatabaseDocument } from '../../contract/database.ts';
import type { DatabaseConfig } from '../config.ts';
import type { Catalog } from './catalog.ts';

/** A database that the service serves. */
export interface ServedDatabase {
  readonly document: DatabaseDocument;
  readonly folder: string;
  readonly catalog: Catalog;
}

/** Makes the wire form of each configured database; ids are slugs of the names, made unique (D20). */
export function describeDatabases(configs: readonly DatabaseConfig[]): DatabaseDocument[] {
  const taken = new Set(configs.flatMap((config) => config.id ?? []));
  return configs.map((config) => ({
    id: config.id ?? freeId(slugOf(config.name), taken),
    name: config.name,
    organization: config.organization ?? '',
    url: pathToFileURL(config.folder + nodePath.sep).href,
  }));
}

function freeId(slug: string, taken: Set<string>): string {
  let id = slug;
  for (let number = 2; taken.has(id); number += 1) id = `${slug}-${number}`;
  taken.add(id);
  return id;
}

function slugOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return (
    plain
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 60) || 'database'
  );
}

/** Finds a database by its name, as the specification has it, or by its id (D26). A name goes before an id. */
export function findDatabase(databases: readonly ServedDatabase[], nameOrId: string): ServedDatabase | undefined {
  return databases.find((database) => database.document.name === nameOrId) ?? databaseOfId(databases, nameOrId);
}

/** Finds a database by its id alone, as transfers are kept. */
export function databaseOfId(databases: readonly ServedDatabase[], id: string): ServedDatabase | undefined {
  return databases.find((database) => database.document.id === id);
}
