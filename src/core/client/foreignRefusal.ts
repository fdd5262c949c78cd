import type { Database } from '../model/database.ts';

/** The facts of a refused submission that its refusal may name. */
export interface SubmissionFacts {
  readonly orcid: string;
  /** Names of the source and the destination, as known and as sent. */
  readonly databases: readonly string[];
  readonly fileIds: readonly string[];
  readonly listed: readonly Database[];
}

type Check = (text: string, facts: SubmissionFacts) => boolean;

/**
 * Returns true if a refusal names a file, a database, a person or a transfer that the submission does not name, so that
 * it is the answer to another request (D35). A refusal that names nothing of that kind is believed.
 */
export function namesOtherRequest(text: string, facts: SubmissionFacts): boolean {
  const checks: readonly Check[] = [namesTransfer, namesOtherOrcid, namesOtherDatabase, namesOtherFile];
  return checks.some((check) => check(text, facts));
}

/** A submission has no transfer id yet: only a cancel or a status request is refused for one. */
const namesTransfer: Check = (text, { fileIds }) => {
  const [, id] = /\btransfer (?:not found: )?['"]?([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\b/i.exec(text) ?? [];
  return id !== undefined && !fileIds.some((fileId) => fileId.includes(id));
};

const namesOtherOrcid: Check = (text, { orcid }) => {
  const named = text.match(/\b(?:\d{4}-){3}\d{3}[\dx]\b/gi) ?? [];
  return hasOnlyOthers(named, [orcid]);
};

/** Servers also name databases by words of their own, so a name counts only if it is unknown to the server or listed. */
const namesOtherDatabase: Check = (text, { databases, listed }) => {
  const unknown = namesIn(text, [
    /\bdatabase '([^']*)' was not found/gi,
    /\bdatabase not found: *([^\n;]*[^\n;.\s])/gi,
  ]);
  const quoted = namesIn(text, [/\bdatabase ['"]([^'"]*)['"]/gi]);
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
  if (fileIds.some((id) => id !== '' && includesText(text, id))) return false;
  const listed = namesIn(text, [/\b(?:resources?|files?)\b[^:\n]*\bnot found: *([^\n;]+)/gi]);
  const ids = listed.flatMap((list) => list.split(',').map((id) => id.trim().replace(/^['"]|['".]$/g, '')));
  // Words are not ids: "not found: the file has been removed".
  return [...ids, ...idsOfScheme(text, fileIds)].some((id) => id !== '' && !/\s/.test(id));
};

/** Returns what looks like the submitted ids, if they all begin with the same scheme, such as `JDP:`. */
function idsOfScheme(text: string, fileIds: readonly string[]): readonly string[] {
  const [scheme, ...others] = new Set(fileIds.map((id) => /^[a-z][\w.-]*:/i.exec(id)?.[0] ?? ''));
  if (!scheme || others.length > 0) return [];
  const words = text.split(/[\s,;'"()[\]]+/);
  return words.filter((word) => word.length > scheme.length && word.startsWith(scheme));
}

function namesIn(text: string, patterns: readonly RegExp[]): readonly string[] {
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = '']) => name));
}

/** Returns true if something is named, and nothing of it is `own`. */
function hasOnlyOthers(named: readonly string[], own: readonly string[]): boolean {
  return named.length > 0 && !named.some((name) => isAmong(name, own));
}

function isAmong(name: string, names: readonly string[]): boolean {
  return names.some((one) => one.toLowerCase() === name.toLowerCase());
}

function includesText(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}
