const mediaTypes: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  bam: 'application/octet-stream',
  bmp: 'image/bmp',
  bz2: 'application/x-bzip2',
  css: 'text/css',
  csv: 'text/csv',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  fa: 'text/plain',
  fasta: 'text/plain',
  fastq: 'text/plain',
  geojson: 'application/geo+json',
  gff: 'text/plain',
  gif: 'image/gif',
  gz: 'application/gzip',
  h5: 'application/x-hdf5',
  hdf5: 'application/x-hdf5',
  html: 'text/html',
  ipynb: 'application/x-ipynb+json',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  jsonl: 'application/jsonl',
  md: 'text/markdown',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  nc: 'application/x-netcdf',
  parquet: 'application/vnd.apache.parquet',
  pdf: 'application/pdf',
  png: 'image/png',
  py: 'text/x-python',
  r: 'text/plain',
  rtf: 'application/rtf',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  tsv: 'text/tab-separated-values',
  txt: 'text/plain',
  vcf: 'text/plain',
  wav: 'audio/wav',
  webp: 'image/webp',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  xz: 'application/x-xz',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  zip: 'application/zip',
  zst: 'application/zstd',
};

const compressions: ReadonlySet<string> = new Set(['bz2', 'gz', 'xz', 'zst']);

/**
 * Returns a file's format: its extension in lowercase, such as `csv` or `fastq.gz`; empty if the name has no extension.
 */
export function getFormat(fileName: string): string {
  const name = fileName.toLowerCase();
  const dot = name.lastIndexOf('.');
  if (dot < 0) return '';
  const last = name.slice(dot + 1);
  const innerDot = compressions.has(last) ? name.lastIndexOf('.', dot - 1) : -1;
  const inner = innerDot < 0 ? '' : name.slice(innerDot + 1, dot);
  return inner === '' ? last : `${inner}.${last}`;
}

/** Returns the media type for a format, such as `csv` or `tar.gz`; a generic one if it is unknown. */
export function getMediaType(format: string): string {
  const suffix = format.split('.').at(-1) ?? '';
  return (Object.hasOwn(mediaTypes, suffix) ? mediaTypes[suffix] : undefined) ?? 'application/octet-stream';
}
