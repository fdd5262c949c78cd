import { omit } from '../util/json.ts';
import { nilUuid, parseUuid } from '../util/uuid.ts';
import { namesOtherRequest, type NamedFacts } from './foreignRefusal.ts';
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
      return namesOtherTransfer(response.status, facts) ? 'OTHER_TRANSFER' : findOtherContent(response.status, facts);
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

function namesOtherTransfer({ id, message }: TransferStatus, { transferId }: TransferFacts): boolean {
  if (id !== undefined && parseUuid(id) !== transferId) return true;
  const named = parseUuid(/^\s*Transfer ([^\s:]+):/i.exec(message ?? '')?.[1] ?? '');
  return named !== undefined && named !== transferId;
}

/**
 * Returns the number and total size of the files in a status message such as `staging 1 file(s) (0.00136 GB)`, in which
 * the unit is 2³⁰ bytes.
 */
function parseNamedSize(message: string): { count: number; bytes: number; toleranceBytes: number } | undefined {
  const [, count, digits, exponent = '0'] =
    /\b(\d+) file\(s\)[\s,(]+(\d+(?:\.\d+)?)(?:e([+-]?\d+))? GB\)/i.exec(message) ?? [];
  if (digits === undefined) return undefined;
  const unit = 2 ** 30 * 10 ** Number(exponent);
  const decimals = digits.split('.')[1]?.length ?? 0;
  return { count: Number(count), bytes: Number(digits) * unit, toleranceBytes: (unit * 10 ** -decimals) / 2 + 1 };
}
