import type { Transfer } from './transferModel.ts';

/** A found transfer and, if some words of the query match only its files, the name of the best-matching file. */
interface FoundTransfer {
  readonly transfer: Transfer;
  readonly file?: string;
}

/** Searches transfers by their databases, description, message, state, IDs and files. */
export class TransferSearch {
  private readonly entries: readonly { readonly transfer: Transfer; readonly facts: string; readonly files: string }[];

  constructor(transfers: readonly Transfer[]) {
    this.entries = transfers.map((transfer) => ({
      transfer,
      facts: foldCase(getSearchableTexts(transfer).join('\n')),
      files: foldCase(transfer.order.files.map(({ id, name }) => `${id}\t${name}`).join('\n')),
    }));
  }

  /** Returns the first `limit` transfers with every word of `text`, ignoring case; any transfers for empty text. */
  find(text: string, limit: number): readonly FoundTransfer[] {
    const words = foldCase(text).split(/\s+/).filter(Boolean);
    const found: FoundTransfer[] = [];
    for (const { transfer, facts, files } of this.entries) {
      if (found.length >= limit) break;
      const inFiles = words.filter((word) => !facts.includes(word));
      if (!inFiles.every((word) => files.includes(word))) continue;
      const file = inFiles.length > 0 ? findBestFile(transfer, inFiles) : undefined;
      found.push({ transfer, ...(file !== undefined && { file }) });
    }
    return found;
  }
}

function getSearchableTexts({ id, state, status, order }: Transfer): readonly string[] {
  const { source, destination, description } = order;
  return [id ?? '', state, status?.status ?? '', status?.message ?? '', source, destination, description ?? ''];
}

/** Returns the name of the file that matches the most words. If there are several such files, uses the first one. */
function findBestFile({ order }: Transfer, words: readonly string[]): string | undefined {
  const hits = (text: string): number => words.filter((word) => foldCase(text).includes(word)).length;
  const [first] = order.files
    .map(({ id, name }) => ({ name, hits: hits(`${id}\t${name}`) }))
    .sort((one, other) => other.hits - one.hits);
  return first?.name;
}

function foldCase(text: string): string {
  return text.toLowerCase();
}
