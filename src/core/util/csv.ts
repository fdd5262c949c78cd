const separators = ['\t', ',', ';'];

/**
 * Parses CSV (RFC 4180) separated by commas, semicolons or tabs: whichever is most frequent in the first line. Accepts
 * any line endings and misplaced quotes. Skips empty lines.
 */
export function parseCsv(text: string): readonly (readonly string[])[] {
  const source = text.replace(/^\uFEFF/, '');
  const separator = detectSeparator(source);
  const field = new RegExp(`(?:"((?:[^"]|"")*)")?([^${separator}\\r\\n]*)(${separator}|\\r\\n|\\n|\\r|$)`, 'gy');
  const records: string[][] = [];
  let record: string[] = [];
  while (field.lastIndex < source.length) {
    const [, quoted, plain = '', end = ''] = field.exec(source) ?? [];
    record.push(quoted === undefined ? plain : quoted.replaceAll('""', '"') + plain);
    if (end === separator && field.lastIndex < source.length) continue;
    if (end === separator) record.push('');
    if (record.length > 1 || record[0] !== '') records.push(record);
    record = [];
  }
  return records;
}

function detectSeparator(text: string): string {
  const [first = ''] = text.replace(/"(?:[^"]|"")*"/g, '').split(/[\r\n]/, 1);
  const counts = separators.map((separator) => first.split(separator).length);
  const most = Math.max(...counts);
  return (most > 1 ? separators[counts.indexOf(most)] : undefined) ?? ',';
}
