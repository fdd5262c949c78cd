/** The value of a cell; undefined for an empty cell. */
export type Cell = string | number | undefined;

/** A character that separates the cells of a row. */
export type Separator = ',' | '\t';

/**
 * Matches text that a spreadsheet may read as a formula: a sign that starts one (also in its full-width or small form),
 * after any invisible characters, or a leading tab or line break.
 */
const formulaStart = /^(?:[\s\p{C}\ufffd]*[=+\-@＝＋－＠﹦﹢﹣﹫]|[\t\r\n])/u;

/** Matches a number, which a spreadsheet reads as a value even if it begins with a sign. */
const plainNumber = /^[+-]?(?:\d+(?:[.,]\d+)?|[.,]\d+)(?:e[+-]?\d+)?$/i;

/**
 * Matches the position after a semicolon or a line break where a formula would start. In locales that separate cells
 * with semicolons, quotes protect only the cell at the start of a row.
 */
const innerFormulaStart =
  /(?<=[;\r\n])(?=(?:(?![\r\n])["\s\p{C}\ufffd])*[=+\-@＝＋－＠﹦﹢﹣﹫])(?![ \t]*[+-](?:\d+(?:[.,]\d+)?|[.,]\d+)(?:e[+-]?\d+)?[ \t]*(?:[;\r\n]|$))/giu;
const unsafeControl = /[^\P{Cc}\t\r\n]/gu;

/**
 * Formats a row as CSV (RFC 4180), or with tabs instead of commas. Puts an apostrophe before text that a spreadsheet
 * could interpret as a formula, but not before numbers. Does the same after a semicolon or a line break within a cell.
 * Replaces control characters.
 */
export function formatRow(cells: readonly Cell[], separator: Separator = ','): string {
  return `${cells.map(formatCell).join(separator)}\r\n`;
}

function formatCell(cell: Cell): string {
  if (typeof cell === 'number' || cell === undefined) return String(cell ?? '');
  const text = cell.replace(unsafeControl, '\ufffd').replace(innerFormulaStart, "'");
  const safeText = formulaStart.test(text) && !plainNumber.test(text) ? `'${text}` : text;
  // In locales that use semicolons or tabs as separators, spreadsheets split unquoted cells at them.
  return /[",;\t\r\n]/.test(safeText) ? `"${safeText.replaceAll('"', '""')}"` : safeText;
}
