import {
  formatJson,
  formatValue,
  getComment,
  quoteForShell,
  quoteText,
  toHttpForm,
  writeVariableComment,
  type CodeRequest,
  type CodeService,
  type ValueSyntax,
} from './codeRequest.ts';

/** A language in which requests can be written. */
export type CodeLanguage = 'python' | 'curl' | 'r';

/**
 * Returns the languages that can express the requests. Python code uses dtspy, which supports neither plain tokens nor
 * a search with an empty query. R supports neither empty names nor text that contains a null character or isn't valid
 * Unicode.
 */
export function listCodeLanguages(service: CodeService, requests: readonly CodeRequest[]): readonly CodeLanguage[] {
  const isForDtspy = service.scheme === 'base64' && !requests.some((one) => one.kind === 'search' && one.query === '');
  return [...(isForDtspy ? (['python'] as const) : []), 'curl', ...(requests.every(isForR) ? (['r'] as const) : [])];
}

function isForR(value: unknown): boolean {
  if (typeof value === 'string') return !/[\0\p{Surrogate}]/u.test(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, member]) => name !== '' && isForR(name) && isForR(member));
}

/**
 * Writes a program that sends the requests. The program reads the key from an environment variable. The returned text
 * doesn't end with a line feed.
 */
export function writeCode(language: CodeLanguage, service: CodeService, requests: readonly CodeRequest[]): string {
  const write = { python: writePython, curl: writeCurl, r: writeR }[language];
  return write(service, requests);
}

const rSyntax: ValueSyntax = {
  indentation: '  ',
  constants: { true: 'TRUE', false: 'FALSE', null: 'NULL' },
  list: ['list(', ')'],
  object: ['list(', ')'],
  emptyObject: 'structure(list(), names = character())',
  formatMember: (name, value) => `${name} = ${value}`,
};

function writeR(service: CodeService, requests: readonly CodeRequest[]): string {
  const { addressVariable } = service;
  return [
    'library(httr2)\n',
    writeVariableComment(service),
    ...(addressVariable === undefined ? [] : readVariable('address', addressVariable)),
    ...readVariable('key', service.keyVariable),
    `service <- request(${addressVariable === undefined ? quoteText(service.address) : 'address'}) |>`,
    `  req_auth_bearer_token(${service.scheme === 'plain' ? 'key' : 'openssl::base64_encode(charToRaw(key))'})\n`,
    requests.map(writeRRequest).join('\n\n'),
  ].join('\n');
}

function readVariable(name: string, variable: string): readonly string[] {
  return [
    `${name} <- Sys.getenv(${quoteText(variable)})`,
    `if (${name} == "") stop("The environment variable ${variable} is not set.")`,
  ];
}

function writeRRequest(request: CodeRequest): string {
  const { path, body } = toHttpForm(request);
  return [
    `# ${getComment(request)}`,
    'result <- service |>',
    `  req_url_path_append(${quoteText(path.slice(1))}) |>`,
    ...(body === undefined ? [] : [`  req_body_json(${formatValue(body, rSyntax, '  ')}) |>`]),
    '  req_perform() |>',
    '  resp_body_json()',
    'str(result)',
  ].join('\n');
}

/**
 * Writes a shell script for bash and sh that sends the requests with curl. Passes the key to curl through standard
 * input, because other users of the machine can read curl's command line.
 */
function writeCurl(service: CodeService, requests: readonly CodeRequest[]): string {
  const variables = [service.addressVariable ?? [], service.keyVariable].flat();
  const checks = variables.map((variable) => `: "\${${variable}:?is not set}"`);
  return [
    [writeVariableComment(service), ...checks].join('\n'),
    ...requests.map((request) => writeCurlRequest(service, request)),
  ].join('\n\n');
}

function writeCurlRequest(service: CodeService, request: CodeRequest): string {
  const { path, body } = toHttpForm(request);
  const { addressVariable } = service;
  const address =
    addressVariable === undefined
      ? quoteForShell(service.address + path)
      : `"$${addressVariable}"${quoteForShell(path)}`;
  const [options, document] = body === undefined ? ['', ''] : [bodyOptions, ` 3<<'JSON'\n${formatJson(body)}\nJSON`];
  const command = `curl --silent --show-error --fail-with-body --globoff --header @- ${options}${address}${document}`;
  return `# ${getComment(request)}\n${writeHeader(service)} |\n  ${command}`;
}

const bodyOptions = `\\
    --header 'Content-Type: application/json' --data-binary @/dev/fd/3 \\
    `;

/** Writes the command that prints the `Authorization` header (D5: token encoding). */
function writeHeader({ keyVariable, scheme }: CodeService): string {
  const encoded = `"$(printf '%s' "$${keyVariable}" | base64 | tr -d '\\n')"`;
  const token = scheme === 'plain' ? `"$${keyVariable}"` : encoded;
  return `printf 'Authorization: Bearer %s\\n' ${token}`;
}

const syntax: ValueSyntax = {
  indentation: '    ',
  constants: { true: 'True', false: 'False', null: 'None' },
  list: ['[', ']'],
  object: ['{', '}'],
  emptyObject: '{}',
  formatMember: (name, value) => `${name}: ${value}`,
};

/**
 * Returns a Python program that sends the requests with dtspy. The library encodes the key itself and rejects a search
 * with an empty query. After most errors, it only logs a message and returns None or, in recent versions, an empty
 * list.
 */
function writePython(service: CodeService, requests: readonly CodeRequest[]): string {
  const { address, keyVariable, addressVariable } = service;
  const server = addressVariable === undefined ? quoteText(address) : `os.environ[${quoteText(addressVariable)}]`;
  return [
    'import os\n',
    'import dts  # pip install git+https://github.com/kbase/dtspy\n',
    writeVariableComment(service),
    `client = dts.Client(api_key=os.environ[${quoteText(keyVariable)}], server=${server})\n`,
    ...requests.map((request) => `# ${getComment(request)}\n${writeRequest(request)}\n`),
    'client.disconnect()',
  ].join('\n');
}

function writeRequest(request: CodeRequest): string {
  switch (request.kind) {
    case 'search':
    case 'metadata':
      return writeFileRequest(request);
    case 'transfer':
      return writeTransfer(request);
    case 'status':
      return [
        `status = client.transfer_status(${quoteText(request.id)})`,
        'if status is None:',
        '    raise SystemExit("The status is not available.")',
        'print(status.status, status.message)',
        'print(status.num_files_transferred, "of", status.num_files, "files")',
      ].join('\n');
  }
}

function writeFileRequest(request: Extract<CodeRequest, { readonly kind: 'search' | 'metadata' }>): string {
  const { kind, ...fields } = request;
  const { ids, ...others } = { ids: undefined, ...fields };
  const [method, all] = kind === 'search' ? ['search', others] : ['fetch_metadata', { ...others, file_ids: ids }];
  return [
    'try:',
    `    files = ${writeCall(method, all, '    ')}`,
    ...emptyResultLines,
    'for file in files:',
    '    print(file.to_dict()["id"], file.path)',
  ].join('\n');
}

/**
 * The lines that handle an empty result. If the service sends null, dtspy raises TypeError. After an error, earlier
 * versions of dtspy return None.
 */
const emptyResultLines = [
  'except TypeError as error:',
  '    if "NoneType" not in str(error):',
  '        raise',
  '    files = []  # dtspy fails this way if the service found nothing.',
  'if files is None:',
  '    raise SystemExit("The files are not available.")',
  'if not files:',
  '    print("No files were returned.")',
];

function writeTransfer({ kind: _kind, ids, ...others }: Extract<CodeRequest, { readonly kind: 'transfer' }>): string {
  return [
    `transfer_id = ${writeCall('transfer', { ...others, file_ids: ids })}`,
    'if transfer_id is None:',
    '    raise SystemExit("The server did not confirm the transfer. It may have started anyway.")',
    'print(transfer_id)',
  ].join('\n');
}

function writeCall(method: string, given: Readonly<Record<string, unknown>>, indentation = ''): string {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  const inner = `${indentation}    `;
  const lines = entries.map(([name, value]) => `${inner}${name}=${formatValue(value, syntax, inner)},\n`);
  return `client.${method}(\n${lines.join('')}${indentation})`;
}

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

const groupsComment = `
# xarray.open_dataset reads the root group only; xarray.open_groups (since 2024.10) reads all groups.`;

const partitionsComment = `
# Columns that only names of folders state, such as year=2024, are not in the files.`;

const importMzml = 'from pyteomics import mzml  # pip install pyteomics[XML]';

interface FormatReader {
  readonly endings: readonly string[];
  readonly imports: readonly string[];
  readonly variable: string;
  /** A Python function that opens the file at a path. */
  readonly opener: string;
  /** Lines before the first use: the definition of the function, or a comment. */
  readonly definition?: string;
}

/** pysam can't seek in files packed by gzip instead of bgzip, but reads them from a pipe. */
const openVariants = `
def open_variants(path):
    try:
        return pysam.VariantFile(str(path))
    except NotImplementedError:
        unpacked = subprocess.Popen(["gzip", "-dc", str(path)], stdout=subprocess.PIPE).stdout
        return pysam.VariantFile(unpacked)
`;

/**
 * The readers of all formats. They ask for what libraries leave out by default: pandas reads the first sheet of a
 * workbook, and rasterio the first page of a TIFF file; xarray drops groups and compound data of HDF5; pysam rejects
 * unaligned reads, and gffutils a feature that spans several lines.
 */
const readers: readonly FormatReader[] = [
  read('.csv .csv.gz', 'import pandas', 'tables', 'pandas.read_csv'),
  read('.tsv .tsv.gz', 'import pandas', 'tab_tables', 'lambda path: pandas.read_csv(path, sep="\\t")'),
  read('.parquet .parq .pq', 'import pandas', 'parquet_tables', 'pandas.read_parquet', partitionsComment),
  read('.xlsx .xlsm .ods', 'import pandas', 'workbooks', 'lambda path: pandas.read_excel(path, sheet_name=None)'),
  read('.json', 'import json', 'documents', 'lambda path: json.loads(path.read_bytes())'),
  read('.geojson .gpkg .shp .fgb', 'import geopandas', 'layers', 'geopandas.read_file'),
  read('.nc .nc4', 'import xarray', 'datasets', 'xarray.open_dataset', groupsComment),
  read('.h5 .hdf5', 'import h5py', 'hdf5_files', 'h5py.File'),
  read('.zarr', 'import zarr', 'zarr_stores', 'lambda path: zarr.open(str(path), mode="r")'),
  read('.bam .cram .sam', 'import pysam', 'alignments', 'lambda path: pysam.AlignmentFile(str(path), check_sq=False)'),
  read('.vcf .vcf.gz .bcf', 'import subprocess\nimport pysam', 'variants', 'open_variants', openVariants),
  ...readSequences('.fasta .fa .fna .faa', 'sequences', 'fasta'),
  ...readSequences('.fastq .fq', 'reads', 'fastq'),
  read(
    '.gff .gff3 .gtf',
    'import gffutils',
    'annotations',
    'lambda path: gffutils.create_db(str(path), ":memory:", merge_strategy="create_unique")',
  ),
  read('.tif .tiff', 'import tifffile', 'images', 'tifffile.TiffFile'),
  read('.nii .nii.gz', 'import nibabel', 'volumes', 'nibabel.load'),
  read('.mzml', importMzml, 'spectra', 'lambda path: mzml.MzML(str(path))'),
  read('.mzml.gz', `import gzip\n${importMzml}`, 'compressed_spectra', 'lambda path: mzml.MzML(gzip.open(path))'),
];

function read(endings: string, imports: string, variable: string, opener: string, definition?: string): FormatReader {
  const reader = { endings: endings.split(' '), imports: imports.split('\n'), variable, opener };
  return definition === undefined ? reader : { ...reader, definition };
}

function readSequences(endings: string, variable: string, format: string): readonly FormatReader[] {
  const parse = (file: string) => `lambda path: list(SeqIO.parse(${file}, "${format}"))`;
  const packed = endings.replaceAll(/(?= |$)/g, '.gz');
  return [
    read(endings, 'from Bio import SeqIO', variable, parse('path')),
    read(packed, 'import gzip\nfrom Bio import SeqIO', `compressed_${variable}`, parse('gzip.open(path, "rt")')),
  ];
}

/** Opens each file on its own, because libraries reject some files of a format. */
const openFiles = `
def open_files(endings, read):
    files = {}
    for path in paths:
        if path.name.lower().endswith(endings):
            try:
                files[path] = read(path)
            except Exception as error:
                print(f"{path} can't be opened: {error!r}", file=sys.stderr)
    return files
`;

/**
 * Returns a Python program that lists all files in `paths` and opens those in known formats. It reports files that
 * can't be opened. A Zarr store is listed and opened as one folder.
 */
export function writeOpeningCode(files: OpenedFiles): string {
  const paths = [...new Set(files.paths.map((path) => path.replace(/(\.zarr)\/.*$/is, '$1')))];
  const used = readers.filter(({ endings }) => paths.some((path) => hasEnding(path, endings)));
  const imports = [...new Set(used.flatMap((reader) => reader.imports))];
  return [
    ...(used.length === 0 ? [] : ['import sys']),
    'from pathlib import Path\n',
    ...(imports.length === 0 ? [] : [`${imports.join('\n')}\n`]),
    ...writeComments(files),
    `folder = Path(${quoteText(files.folder)})`,
    `paths = [\n${paths.map((path) => `    folder / ${quoteText(path)},\n`).join('')}]`,
    ...(used.length === 0 ? [] : [openFiles]),
    ...used.flatMap(({ definition = [] }) => definition),
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

function writeReader({ endings, variable, opener }: FormatReader): string {
  const list = endings.map(quoteText).join(', ');
  return `${variable} = open_files((${list}${endings.length === 1 ? ',' : ''}), ${opener})`;
}
