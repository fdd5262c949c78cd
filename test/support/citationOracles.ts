import { createRequire } from 'node:module';
import { parse as parseBiblatex } from 'biblatex-csl-converter';

/** A name as parsed by citation-js. */
interface ParsedName {
  readonly family?: string;
  readonly given?: string;
  readonly literal?: string;
  readonly 'non-dropping-particle'?: string;
  readonly 'dropping-particle'?: string;
  readonly suffix?: string;
}

/** A CSL-JSON item as parsed by citation-js. */
interface ParsedItem {
  readonly title?: string;
  readonly author?: readonly ParsedName[];
  readonly publisher?: string;
  readonly issued?: { readonly 'date-parts': readonly (readonly number[])[] };
  readonly accessed?: { readonly 'date-parts': readonly (readonly number[])[] };
  readonly version?: string;
  readonly DOI?: string;
  readonly URL?: string;
  readonly abstract?: string;
  readonly note?: string | readonly string[];
  readonly number?: string;
  readonly id?: string;
}

// The package has no type declarations.
const Cite = createRequire(import.meta.url)('citation-js') as new (
  input: unknown,
  options?: { readonly forceType: string },
) => { readonly data: ParsedItem[] };

/** A citation as parsed by a library. Like {@link ParsedItem}, but with names and dates as text. */
export interface ParsedCitation {
  readonly key: string | undefined;
  readonly title: string | undefined;
  readonly authors: readonly string[];
  readonly publisher: string | undefined;
  readonly issued: string | undefined;
  readonly accessed: string | undefined;
  readonly version: string | undefined;
  readonly doi: string | undefined;
  readonly url: string | undefined;
  readonly abstract: string | undefined;
  readonly notes: string;
}

/**
 * The type name of RIS in citation-js. Without it, citation-js mistakes a file whose notes contain `@a{` for BibTeX.
 */
export const risType = '@ris/file';

/** Parses BibTeX, RIS or CSL-JSON with citation-js, which detects the format unless `forceType` is given. */
export function parseWithCitationJs(text: string, forceType?: string): readonly ParsedCitation[] {
  return new Cite(text, forceType === undefined ? undefined : { forceType }).data.map((item) => ({
    key: item.id,
    title: item.title,
    authors: (item.author ?? []).map(joinName),
    publisher: item.publisher,
    issued: joinDate(item.issued),
    accessed: joinDate(item.accessed),
    version: item.version,
    doi: item.DOI,
    url: item.URL,
    abstract: item.abstract,
    notes: [item.note ?? []].flat().join('; '),
  }));
}

/** Joins the parts of a name, because libraries split particles and suffixes differently. */
function joinName({ family, given, literal, suffix, ...rest }: ParsedName): string {
  const particles = [rest['dropping-particle'], rest['non-dropping-particle']];
  const parts = [[...particles, family].filter(Boolean).join(' '), suffix, given].filter(Boolean);
  return literal ?? parts.join(', ');
}

function joinDate(date: ParsedItem['issued']): string | undefined {
  const [parts] = date?.['date-parts'] ?? [];
  return parts?.map((part, index) => String(part).padStart(index === 0 ? 4 : 2, '0')).join('-');
}

type RichText = readonly { readonly text?: string; readonly type: string }[];

interface BiblatexName {
  readonly family?: RichText;
  readonly given?: RichText;
  readonly literal?: RichText;
  readonly prefix?: RichText;
  readonly suffix?: RichText;
}

/** Parses BibTeX with biblatex-csl-converter. Throws if the converter reports an error. */
export function parseWithBiblatexConverter(text: string): readonly ParsedCitation[] {
  const { entries, errors } = parseBiblatex(text);
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
  return Object.values(entries).map(({ entry_key: key, fields }) => {
    const plain = (name: string): string | undefined => toPlain(fields[name] as RichText | undefined);
    const verbatim = (name: string): string | undefined => fields[name] as string | undefined;
    return {
      key,
      title: plain('title'),
      version: plain('version'),
      abstract: plain('abstract'),
      authors: ((fields['author'] ?? []) as readonly BiblatexName[]).map(joinRichName),
      publisher: toPlain((fields['publisher'] as readonly RichText[] | undefined)?.[0]),
      issued: verbatim('date'),
      accessed: verbatim('urldate'),
      doi: verbatim('doi'),
      url: verbatim('url'),
      notes: plain('note') ?? '',
    };
  });
}

function joinRichName({ family, given, literal, prefix, suffix }: BiblatexName): string {
  const whole = toPlain(literal);
  const surname = [toPlain(prefix), toPlain(family)].filter(Boolean).join(' ');
  return whole ?? [surname, toPlain(suffix), toPlain(given)].filter(Boolean).join(', ');
}

function toPlain(text: RichText | undefined): string | undefined {
  return text?.map((node) => node.text ?? '').join('');
}
