import { omit } from '../util/json.ts';
import { nilUuid, parseUuid } from '../util/uuid.ts';
import type { Database } from './databaseModel.ts';
import type { Transfer, TransferStatus } from './transferModel.ts';

/** The facts about a transfer with which responses are compared. Absent facts are unknown and not compared. */
export interface TransferFacts extends NamedFacts {
  /** The number of requested files. */
  readonly fileCount?: number;
  /** The total size of the requested files. */
  readonly sizeBytes?: number;
}

/** A response about a transfer: the ID of a submission, a status, or the message of a refusal. */
type TransferResponse =
  | { readonly kind: 'accepted'; readonly id: string }
  | { readonly kind: 'status'; readonly status: TransferStatus }
  | { readonly kind: 'refusal'; readonly text: string };

/** The evidence that a response belongs to another request. */
export type ForeignSign = 'NIL_ID' | 'OTHER_REFUSAL' | 'OTHER_TRANSFER' | 'TOO_MANY_FILES' | 'OTHER_SIZE';

/**
 * Returns the evidence that a response belongs to another request, for submissions, statuses and cancellations;
 * undefined if there is none (D11: check status identity, D35: misrouted responses).
 */
export function findForeignSign(response: TransferResponse, facts: TransferFacts): ForeignSign | undefined {
  switch (response.kind) {
    case 'accepted':
      return response.id === nilUuid ? 'NIL_ID' : undefined;
    case 'refusal':
      return namesOtherRequest(response.text, facts) ? 'OTHER_REFUSAL' : undefined;
    case 'status':
      return reportsOtherTransfer(response.status, facts) ? 'OTHER_TRANSFER' : findOtherContent(response.status, facts);
  }
}

/**
 * Returns what is known of a transfer for checking its responses. Omits the number and size of the files if they are
 * unknown, or if a trusted status contradicts them.
 */
export function toTransferFacts({ id, order, status, startedElsewhere }: Transfer): TransferFacts {
  const { orcid, source, destination, files } = order;
  const own = { ...(id !== undefined && { transferId: id }), orcid };
  if (startedElsewhere || files.length === 0) return own;
  const sizeBytes = files.reduce((total, file) => total + (file.sizeBytes ?? Number.NaN), 0);
  const facts: TransferFacts = {
    ...own,
    databases: [source, destination],
    fileIds: files.map((file) => file.id),
    fileCount: files.length,
    ...(!Number.isNaN(sizeBytes) && { sizeBytes }),
  };
  const isContradicted = status !== undefined && !status.doubtful && findOtherContent(status, facts) !== undefined;
  return isContradicted ? omit(facts, 'fileCount', 'sizeBytes') : facts;
}

/** Returns the evidence that a status describes other files than those of the transfer; undefined if there is none. */
export function findOtherContent(
  { fileCount = 0, movedFileCount = 0, message = '' }: TransferStatus,
  { fileCount: requested = Number.POSITIVE_INFINITY, sizeBytes }: TransferFacts,
): ForeignSign | undefined {
  if (Math.max(fileCount, movedFileCount) > requested) return 'TOO_MANY_FILES';
  const named = parseNamedSize(message);
  if (!named || sizeBytes === undefined) return undefined;
  const excess = named.bytes - sizeBytes;
  // Servers drop unknown files, and stage only some of them.
  const isOther = named.count < requested ? excess > named.toleranceBytes : Math.abs(excess) > named.toleranceBytes;
  return isOther ? 'OTHER_SIZE' : undefined;
}

/** Returns the ID and the described files of a status. Statuses about the same transfer have the same value. */
export function describeContent({ id, fileCount, message = '' }: TransferStatus): string {
  return JSON.stringify([id, fileCount, parseNamedSize(message)?.bytes]);
}

function reportsOtherTransfer({ id, message }: TransferStatus, { transferId }: TransferFacts): boolean {
  if (id !== undefined && parseUuid(id) !== transferId) return true;
  const named = parseUuid(/^\s*Transfer ([^\s:]+):/i.exec(message ?? '')?.[1] ?? '');
  return named !== undefined && named !== transferId;
}

/**
 * Returns the number and total size of the files in a status message such as `staging 1 file(s) (0.00136 GB)`, in which
 * the unit is 2³⁰ bytes; undefined if there are none. Rounding changes the size by at most `toleranceBytes`.
 */
function parseNamedSize(message: string): { count: number; bytes: number; toleranceBytes: number } | undefined {
  const [, count, digits, exponent = '0'] =
    /\b(\d+) file\(s\)[\s,(]+(\d+(?:\.\d+)?)(?:e([+-]?\d+))? GB\)/i.exec(message) ?? [];
  if (digits === undefined) return undefined;
  const unit = 2 ** 30 * 10 ** Number(exponent);
  const decimals = digits.split('.')[1]?.length ?? 0;
  return { count: Number(count), bytes: Number(digits) * unit, toleranceBytes: (unit * 10 ** -decimals) / 2 + 1 };
}

/** The facts about a request and its transfer with which a refusal is compared. Absent facts are not compared. */
interface NamedFacts {
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

/** Returns the words that resemble the submitted IDs, if all of these start with the same scheme, such as `JDP:`. */
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
