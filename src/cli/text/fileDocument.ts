import type { FileEntry } from '../../core/model/fileEntry.ts';
import { formatBytes } from './amounts.ts';
import type { Column } from './table.ts';

/** Converts a file to its JSON output (docs/command-line.md). */
export function toFileDocument(file: FileEntry): object {
  const { id, database, name, path, title, description, format, mediaType, sizeBytes, hash } = file;
  return { id, database, name, path, title, description, format, mediaType, bytes: sizeBytes, hash };
}

/** The columns of a table of files. */
export const fileColumns: readonly Column<FileEntry>[] = [
  { title: 'ID', getText: ({ id }) => id },
  {
    title: 'SIZE',
    isNumber: true,
    getText: ({ sizeBytes }) => (sizeBytes === undefined ? '' : formatBytes(sizeBytes)),
  },
  { title: 'FORMAT', getText: ({ format }) => format },
  { title: 'PATH', getText: ({ path, name }) => path ?? name },
];
