import type { Transfer } from './transfer.ts';

/** A transfer that was found, with the first of its files that the words are about, where it was found by its files. */
export interface FoundTransfer {
  readonly transfer: Transfer;
  readonly file?: string;
}

/** Finds transfers by what they are about: databases, description, message, ids and files. */
export class TransferSearch {
  private readonly entries: readonly { readonly transfer: Transfer; readonly facts: string; readonly files: string }[];

  constructor(transfers: readonly Transfer[]) {
    this.entries = transfers.map((transfer) => ({
      transfer,
      facts: folded(factsOf(transfer).join('\n')),
      files: folded(transfer.order.files.map(({ id, name }) => `${id}\t${name}`).join('\n')),
    }));
  }

  /** The first `most` transfers in which every word of `text` stands, in the order given; all of them for no words. */
  find(text: string, most: number): readonly FoundTransfer[] {
    const words = folded(text).split(/\s+/).filter(Boolean);
    const found: FoundTransfer[] = [];
    for (const { transfer, facts, files } of this.entries) {
      if (found.length >= most) break;
      const inFiles = words.filter((word) => !facts.includes(word));
      if (!inFiles.every((word) => files.includes(word))) continue;
      const file = inFiles.length > 0 ? fileWith(transfer, inFiles) : undefined;
      found.push({ transfer, ...(file !== undefined && { file }) });
    }
    return found;
  }
}

function factsOf({ id, state, status, order }: Transfer): readonly string[] {
  const { source, destination, description } = order;
  return [id ?? '', state, status?.status ?? '', status?.message ?? '', source, destination, description ?? ''];
}

/** The first file with as many of the words as any. */
function fileWith({ order }: Transfer, words: readonly string[]): string | undefined {
  const hits = (text: string): number => words.filter((word) => folded(text).includes(word)).length;
  const [first] = order.files
    .map(({ id, name }) => ({ name, hits: hits(`${id}\t${name}`) }))
    .sort((one, other) => other.hits - one.hits);
  return first?.name;
}

function folded(text: string): string {
  return text.toLowerCase();
}
