import { formatSortedName, listNotes, splitDate, type Citation } from './citation.ts';

type RisLine = readonly [tag: string, value: string | undefined];

/** Writes citations as RIS records of type `DATA`. Lines end with CR LF, as the format requires. */
export function writeRis(citations: readonly Citation[]): string {
  return citations.map((citation) => listLines(citation).map(formatLine).join('')).join('\r\n');
}

function formatLine([tag, value = '']: RisLine): string {
  return `${tag}  - ${value}\r\n`;
}

function listLines(citation: Citation): readonly RisLine[] {
  const lines: readonly RisLine[] = [
    ...([['TI', citation.title], ...toLines('T2', citation.otherTitles)] as const),
    ...toLines('AU', citation.authors.map(formatSortedName)),
    ...toLines('ED', citation.editors.map(formatSortedName)),
    ...([
      ['PY', citation.issued?.slice(0, 4)],
      ['DA', formatDate(citation.issued)],
    ] as const),
    ...([
      ['PB', citation.publisher],
      ['ET', citation.version],
      ['DO', citation.doi],
    ] as const),
    ...([
      ['AN', citation.identifier],
      ['UR', citation.url],
      ['AB', citation.abstract],
    ] as const),
    ...([...toLines('N1', listNotes(citation)), ['Y2', formatDate(citation.accessed)]] as const),
  ];
  const known = lines.filter(([, value]) => value !== undefined);
  return [['TY', 'DATA'], ...known, ['ER', '']];
}

function toLines(tag: string, values: readonly string[]): readonly RisLine[] {
  return values.map((value) => [tag, value]);
}

/** Formats a date as `YYYY/MM/DD/`; a missing month or day is left empty. */
function formatDate(date: string | undefined): string | undefined {
  if (date === undefined) return undefined;
  const [year = 0, ...rest] = splitDate(date);
  const parts = [0, 1].map((index) => (rest[index] === undefined ? '' : String(rest[index]).padStart(2, '0')));
  return [String(year).padStart(4, '0'), ...parts, ''].join('/');
}
