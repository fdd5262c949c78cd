import { parseUuid } from '../util/uuid.ts';
import type { Database } from './databaseModel.ts';

/** The facts about a request and its transfer with which a refusal is compared. Absent facts are not compared. */
export interface NamedFacts {
  /** The transfer's ID; absent in a submission, which has none yet. */
  readonly transferId?: string;
  readonly orcid?: string;
  /** Names of the source and the destination, and the names or IDs that identified them in the request. */
  readonly databases?: readonly string[];
  readonly fileIds?: readonly string[];
  /** The databases that the service lists. */
  readonly listed?: readonly Database[];
}

type Check = (text: string, facts: NamedFacts) => boolean;

/**
 * Returns true if a refusal appears to belong to another request (D35: misrouted responses). Such a refusal mentions a
 * transfer, user, database or file, but nothing of the same kind that is part of the request or its transfer. A refusal
 * that mentions the transfer's ID belongs to it, and may name its owner.
 */
export function namesOtherRequest(text: string, facts: NamedFacts): boolean {
  if (facts.transferId !== undefined && includesText(text, facts.transferId)) return false;
  const checks: readonly Check[] = [namesOtherTransfer, namesOtherOrcid, namesOtherDatabase, namesOtherFile];
  return checks.some((check) => check(text, facts));
}

/** Detects refusals that mention the ID of another transfer. Ignores transfer IDs that are part of a file ID. */
const namesOtherTransfer: Check = (text, { transferId, fileIds = [] }) => {
  const [, id] = /\btransfer (?:not found: )?['"]?([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\b/i.exec(text) ?? [];
  return id !== undefined && parseUuid(id) !== transferId && !fileIds.some((fileId) => fileId.includes(id));
};

const namesOtherOrcid: Check = (text, { orcid }) => {
  if (orcid === undefined) return false;
  const named = text.match(/\b(?:\d{4}-){3}\d{3}[\dx]\b/gi) ?? [];
  return hasOnlyOthers(named, [orcid]);
};

/**
 * Detects error responses that name only databases that are not part of the request. Servers also use internal
 * names, so a name is considered only if the service lists it or reports it as not found.
 */
const namesOtherDatabase: Check = (text, { databases, listed = [] }) => {
  if (!databases) return false;
  const unknown = findNames(text, [
    /\bdatabase '([^']*)' was not found/gi,
    /\bdatabase not found: *([^\n;]*[^\n;.\s])/gi,
  ]);
  const quoted = findNames(text, [/\bdatabase ['"]([^'"]*)['"]/gi]);
  const isOwn = ({ id, name }: Database): boolean => [id, name].some((one) => isAmong(one, databases));
  const own = [...databases, ...listed.filter(isOwn).flatMap(({ id, name }) => [id, name])];
  const others = listed.filter((database) => !isOwn(database)).flatMap(({ id, name }) => [id, name]);
  const isOther = (name: string): boolean => unknown.includes(name) || isAmong(name, others);
  return hasOnlyOthers(
    [...unknown, ...quoted].filter((name) => isAmong(name, own) || isOther(name)),
    own,
  );
};

const namesOtherFile: Check = (text, { fileIds }) => {
  if (!fileIds || fileIds.some((id) => id !== '' && includesText(text, id))) return false;
  const listed = findNames(text, [/\b(?:resources?|files?)\b[^:\n]*\bnot found: *([^\n;]+)/gi]);
  const ids = listed.flatMap((list) => list.split(',').map((id) => id.trim().replace(/^['"]|['".]$/g, '')));
  // Ignore text with spaces, such as "not found: the file has been removed".
  return [...ids, ...findIdsOfScheme(text, fileIds)].some((id) => id !== '' && !/\s/.test(id));
};

/**
 * Returns the words that resemble the submitted IDs, if all submitted IDs start with the same scheme, such as `JDP:`.
 */
function findIdsOfScheme(text: string, fileIds: readonly string[]): readonly string[] {
  const [scheme, ...others] = new Set(fileIds.map((id) => /^[a-z][\w.-]*:/i.exec(id)?.[0] ?? ''));
  if (!scheme || others.length > 0) return [];
  const words = text.split(/[\s,;'"()[\]]+/).map((word) => word.replace(/[.:!?]+$/, ''));
  const bodies = fileIds.map((id) => id.slice(scheme.length));
  return words.filter((word) => word.startsWith(scheme) && looksLikeAny(word.slice(scheme.length), bodies));
}

const characterKinds = [/\d/, /[a-z]/, /[A-Z]/, /[^\da-z]/i];

/**
 * Returns true if a string resembles the given IDs in length and kinds of characters. The string must be at least half
 * as long as the shortest ID and at most twice as long as the longest, contain only kinds of characters that occur in
 * the IDs, and contain digits if all IDs do.
 */
function looksLikeAny(text: string, ids: readonly string[]): boolean {
  const lengths = ids.map(({ length }) => length);
  if (text.length < Math.min(...lengths) / 2 || text.length > Math.max(...lengths) * 2) return false;
  if (ids.every((id) => /\d/.test(id)) && !/\d/.test(text)) return false;
  return characterKinds.every((kind) => !kind.test(text) || ids.some((id) => kind.test(id)));
}

function findNames(text: string, patterns: readonly RegExp[]): readonly string[] {
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = '']) => name));
}

function hasOnlyOthers(named: readonly string[], own: readonly string[]): boolean {
  return named.length > 0 && !named.some((name) => isAmong(name, own));
}

function isAmong(name: string, names: readonly string[]): boolean {
  return names.some((one) => one.toLowerCase() === name.toLowerCase());
}

function includesText(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}
