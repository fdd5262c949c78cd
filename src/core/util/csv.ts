const separators = ['\t', ',', ';'];

/**
 * The records of a CSV text (RFC 4180), also with semicolons or tabs: the separator is the one that the first line has
 * most of. Lines may end in any way; what is quoted wrongly is taken as it stands. Empty lines are no records.
 */
export function parseCsv(text: string): readonly (readonly string[])[] {
  const source = text.replace(/^\uFEFF/, '');
  const separator = separatorOf(source);
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

function separatorOf(text: string): string {
  const [first = ''] = text.replace(/"(?:[^"]|"")*"/g, '').split(/[\r\n]/, 1);
  const counts = separators.map((separator) => first.split(separator).length);
  const most = Math.max(...counts);
  return (most > 1 ? separators[counts.indexOf(most)] : undefined) ?? ',';
}
