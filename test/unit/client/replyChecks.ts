import assert from 'node:assert/strict';
import type { MetadataReply, Reply } from '../../../src/core/client/reply.ts';

const reasonMembers: Readonly<Record<string, string>> = {
  kind: 'string',
  request: 'string',
  status: 'number',
  detail: 'string',
  code: 'string',
  signIn: 'string',
  keyWorked: 'boolean',
  maybeDone: 'boolean',
  retryAfterMs: 'number',
};

/**
 * Checks that a reply has a value, and that its reason has only fields of the declared types (D2: replies instead of
 * exceptions).
 */
export function checkReply(reply: MetadataReply | Reply<unknown>): void {
  assert.ok('value' in reply);
  for (const name of Object.keys(reply)) assert.ok(['value', 'reason', 'refusedIds'].includes(name), name);
  if (!reply.reason) return;
  for (const [name, field] of Object.entries(reply.reason)) assert.equal(typeof field, reasonMembers[name], name);
}

/** Checks the types of members, which may be absent but must not be null. */
function checkMembers(object: unknown, types: Readonly<Record<string, string>>): void {
  assert.ok(typeof object === 'object' && object !== null && !Array.isArray(object));
  assert.equal(Object.getPrototypeOf(object), Object.prototype);
  for (const [name, field] of Object.entries(object)) assert.equal(typeof field, types[name], name);
}

/** Checks a list of readable and unreadable files (§2.3, D15: tolerant reading). */
export function checkFiles(value: unknown): void {
  assert.ok(Array.isArray(value));
  for (const file of value as { kind: string; id?: unknown; name?: unknown }[]) {
    if (file.kind === 'unreadable') checkMembers(file, { kind: 'string', text: 'string' });
    else {
      const texts = ['kind', 'id', 'database', 'name', 'path', 'title', 'description', 'format', 'mediaType', 'hash'];
      const types = Object.fromEntries(texts.map((name) => [name, 'string']));
      checkMembers(file, { ...types, sizeBytes: 'number', resource: 'object' });
      assert.equal(typeof file.id, 'string');
      assert.equal(typeof file.name, 'string');
    }
  }
}

/** Checks a list of databases, each with its four fields (§2.2). */
export function checkDatabases(value: unknown): void {
  assert.ok(Array.isArray(value));
  for (const database of value as object[]) {
    checkMembers(database, { id: 'string', name: 'string', organization: 'string', url: 'string' });
    assert.equal(Object.keys(database).length, 4);
  }
}

/** Checks a status, if there is one. Its fields are never null (§2.4). */
export function checkStatus(value: unknown): void {
  if (value === undefined) return;
  const texts = { id: 'string', status: 'string', message: 'string' };
  checkMembers(value, { ...texts, fileCount: 'number', movedFileCount: 'number', doubtful: 'boolean' });
}

/** Checks that a transfer's ID, if present, is a UUID in canonical form (§4.5). */
export function checkAccepted(value: unknown): void {
  if (value === undefined) return;
  assert.ok(typeof value === 'string');
  assert.match(value, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
}

/** Checks the value of a cancel: true, or undefined if the cancel was not accepted (§4.7). */
export function checkCancelled(value: unknown): void {
  assert.ok(value === undefined || value === true);
}

/** Checks search parameters, keyed by name (D26: service HTTP behavior). */
export function checkParameters(value: unknown): void {
  assert.ok(typeof value === 'object' && value !== null);
  for (const parameter of Object.values(value)) {
    checkMembers(parameter, { type: 'string', values: 'object' });
    assert.ok(Array.isArray((parameter as { values?: unknown }).values));
  }
}
