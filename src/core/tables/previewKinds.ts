/** The kinds of previews, by the formats that they show. */
export type PreviewKind = 'parquet' | 'table' | 'tabs' | 'features' | 'fasta' | 'fastq' | 'json' | 'image';

/** Maximum number of rows of a preview. */
export const maxPreviewRows = 20;

/** Maximum number of columns of a preview. */
export const maxPreviewColumns = 50;

/** Maximum number of characters of a cell of a preview. */
export const maxCellLength = 200;

/** Returns the text of a cell, cut after {@link maxCellLength} characters. */
export function shortenCell(text: string): string {
  return text.length > maxCellLength ? `${text.slice(0, maxCellLength)}…` : text;
}

const kinds: readonly (readonly [kind: PreviewKind, extensions: RegExp])[] = [
  ['parquet', /\.(?:parquet|parq|pq)$/i],
  ['table', /\.csv(?:\.b?gz)?$/i],
  ['tabs', /\.(?:tsv|tab|vcf)(?:\.b?gz)?$/i],
  ['features', /\.(?:gff3?|gtf)(?:\.b?gz)?$/i],
  ['fasta', /\.(?:fa|fas|fasta|fna|faa|ffn)(?:\.b?gz)?$/i],
  ['fastq', /\.(?:fq|fastq)(?:\.b?gz)?$/i],
  ['json', /\.(?:json|geojson|ipynb)(?:\.gz)?$/i],
  ['image', /\.(?:a?png|jpe?g|jpe|jfif|gif|webp)$/i],
];

/** Returns the kind of preview for the name of a file; undefined if its format has none. */
export function findPreviewKind(fileName: string): PreviewKind | undefined {
  return kinds.find(([, extensions]) => extensions.test(fileName))?.[0];
}
