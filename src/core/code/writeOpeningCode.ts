import { quoteText } from './codeRequest.ts';

/** The transferred files that the generated code opens. */
export interface OpenedFiles {
  /** Absolute path of the folder. */
  readonly folder: string;
  /** Paths relative to the folder, with `/` as the separator. */
  readonly paths: readonly string[];
  /** Number of files that `paths` omits because there are too many to list. */
  readonly omittedCount: number;
  /** The last verification of the files; undefined if there was none. */
  readonly verification?:
    | {
        /** Milliseconds since 1970. */
        readonly at: number;
        /**
         * False if some files were damaged or missing but it isn't known which ones. In that case, `paths` may contain
         * them.
         */
        readonly areIntact: boolean;
        /** Number of files that could not be verified; absent if there are none. */
        readonly unverifiedCount?: number;
      }
    | undefined;
}

interface FormatReader {
  readonly endings: readonly string[];
  readonly import: string;
  readonly variable: string;
  /** A Python expression that opens the file at `path`. */
  readonly expression: string;
}

const readers: readonly FormatReader[] = [
  read(['.csv', '.csv.gz'], 'import pandas', 'tables', 'pandas.read_csv(path)'),
  read(['.tsv', '.tsv.gz'], 'import pandas', 'tab_tables', 'pandas.read_csv(path, sep="\\t")'),
  read(['.parquet'], 'import pandas', 'parquet_tables', 'pandas.read_parquet(path)'),
  read(['.xlsx'], 'import pandas', 'sheets', 'pandas.read_excel(path)'),
  read(['.json'], 'import json', 'documents', 'json.loads(path.read_text())'),
  read(['.geojson', '.gpkg', '.shp', '.fgb'], 'import geopandas', 'layers', 'geopandas.read_file(path)'),
  read(['.nc', '.nc4', '.h5', '.hdf5'], 'import xarray', 'datasets', 'xarray.open_dataset(path)'),
  read(['.bam', '.cram', '.sam'], 'import pysam', 'alignments', 'pysam.AlignmentFile(str(path))'),
  read(['.vcf', '.vcf.gz', '.bcf'], 'import pysam', 'variants', 'pysam.VariantFile(str(path))'),
  read(['.fasta', '.fa', '.fna', '.faa'], 'from Bio import SeqIO', 'sequences', 'list(SeqIO.parse(path, "fasta"))'),
  read(['.fastq', '.fq'], 'from Bio import SeqIO', 'reads', 'list(SeqIO.parse(path, "fastq"))'),
  ...readCompressed(['.fasta.gz', '.fa.gz', '.fna.gz', '.faa.gz'], 'compressed_sequences', 'fasta'),
  ...readCompressed(['.fastq.gz', '.fq.gz'], 'compressed_reads', 'fastq'),
  read(['.gff', '.gff3', '.gtf'], 'import gffutils', 'annotations', 'gffutils.create_db(str(path), ":memory:")'),
  read(['.tif', '.tiff'], 'import rasterio', 'rasters', 'rasterio.open(path)'),
];

function read(endings: readonly string[], imported: string, variable: string, expression: string): FormatReader {
  return { endings, import: imported, variable, expression };
}

function readCompressed(endings: readonly string[], variable: string, format: string): readonly FormatReader[] {
  const expression = `list(SeqIO.parse(gzip.open(path, "rt"), "${format}"))`;
  return [read(endings, 'import gzip\nfrom Bio import SeqIO', variable, expression)];
}

/** Returns a Python program that lists all files in `paths` and opens those in known formats. */
export function writeOpeningCode(files: OpenedFiles): string {
  const { folder, paths } = files;
  const used = readers.filter(({ endings }) => paths.some((path) => hasEnding(path, endings)));
  const imports = [...new Set(used.flatMap((reader) => reader.import.split('\n')))];
  return [
    'from pathlib import Path\n',
    ...(imports.length === 0 ? [] : [`${imports.join('\n')}\n`]),
    ...writeComments(files),
    `folder = Path(${quoteText(folder)})`,
    `paths = [\n${paths.map((path) => `    folder / ${quoteText(path)},\n`).join('')}]`,
    ...used.map(writeReader),
  ].join('\n');
}

function writeComments({ paths, omittedCount, verification }: OpenedFiles): readonly string[] {
  const day = verification && new Date(verification.at).toISOString().slice(0, 10);
  const damage = verification?.areIntact === false ? '; some of them were damaged or missing' : '';
  const unverifiedCount = verification?.unverifiedCount ?? 0;
  const gap = unverifiedCount === 0 ? '' : `; ${unverifiedCount} of them could not be verified`;
  return [
    day === undefined
      ? '# Transferred files, not verified yet'
      : `# Transferred files, verified on ${day}${damage}${gap}`,
    ...(omittedCount === 0 ? [] : [`# The first ${paths.length} files; ${omittedCount} more are not listed`]),
  ];
}

function hasEnding(path: string, endings: readonly string[]): boolean {
  return endings.some((ending) => path.toLowerCase().endsWith(ending));
}

function writeReader({ endings, variable, expression }: FormatReader): string {
  const list = endings.map(quoteText).join(', ');
  const tuple = endings.length === 1 ? `(${list},)` : `(${list})`;
  return `${variable} = {path: ${expression} for path in paths if path.name.lower().endswith(${tuple})}`;
}
