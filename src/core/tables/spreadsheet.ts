import type { DataTable } from './dataTable.ts';
import { readExcelWorkbook } from './excelWorkbook.ts';
import { readOpenDocument } from './openDocument.ts';
import { CellBudget } from './sheetCollector.ts';
import { TableError } from './tableError.ts';
import { WorkbookFile } from './workbookFile.ts';

/** Other formats of documents in ZIP archives, by a path in the archive. */
const otherFormats: readonly (readonly [RegExp, string])[] = [
  [/^xl\/workbook\.bin$/, 'XLSB'],
  [/^index(?:\.zip$|\/.*\.iwa$)/, 'Numbers'],
  [/^word\/document\.xml$/, 'DOCX'],
];

/**
 * Reads the nonempty sheets of a workbook in the format XLSX, XLSM or ODS. Rejects with a {@link TableError} if the file
 * is damaged or has another format, or if reading it needs too much memory or time.
 */
export async function readSpreadsheet(bytes: Uint8Array): Promise<readonly DataTable[]> {
  const file = new WorkbookFile(bytes);
  const format = otherFormats.find(([path]) => file.has(path))?.[1];
  if (format !== undefined) throw new TableError('unsupported', format);
  const read = file.has(/^content\.xml$/) ? readOpenDocument : readExcelWorkbook;
  return (await read(file, new CellBudget())).filter(({ rows }) => rows.length > 0);
}
