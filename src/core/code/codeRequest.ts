import type { TokenScheme } from '../model/connection.ts';
import type { FileStaging } from '../model/searchModel.ts';
import type { JsonObject } from '../util/json.ts';

/** The service that the generated code connects to. Does not contain the API key. */
export interface CodeService {
  /** Normalized address, without a trailing slash (D4: server address). */
  readonly address: string;
  readonly scheme: TokenScheme;
  /** Name of the environment variable from which the code reads the key. */
  readonly keyVariable: string;
  /**
   * Name of the environment variable from which the code reads the address. Present only for the local service, whose
   * address and key change at each start (D29: shared service).
   */
  readonly addressVariable?: string;
}

/** Returns the comment lines that name the environment variables of generated code. */
export function writeVariableComment({ keyVariable, addressVariable }: CodeService): string {
  if (addressVariable === undefined) return `# Reads the API key from the environment variable ${keyVariable}.`;
  return [
    `# Reads the address and the API key from the environment variables ${addressVariable} and ${keyVariable}.`,
    '# Both change when the local service starts. "Copy Address and Key of Local Service..." copies commands that set them.',
  ].join('\n');
}

/** A search (§4.3). `database` is the name or ID that the service expects (D7: database name or id). */
interface SearchCode {
  readonly kind: 'search';
  readonly database: string;
  readonly orcid: string;
  readonly query: string;
  readonly status?: FileStaging;
  readonly limit: number;
  readonly specific?: JsonObject;
}

/** A metadata request for at least one file (§4.4). */
export interface MetadataCode {
  readonly kind: 'metadata';
  readonly database: string;
  readonly orcid: string;
  readonly ids: readonly string[];
}

/** A submission (§4.5). */
interface TransferCode {
  readonly kind: 'transfer';
  readonly orcid: string;
  readonly source: string;
  readonly destination: string;
  readonly ids: readonly string[];
  /** Markdown. */
  readonly description?: string;
  readonly instructions?: JsonObject;
}

/** A status request (§4.6). */
interface StatusCode {
  readonly kind: 'status';
  /** The ID that the service assigned to the transfer. */
  readonly id: string;
}

/** A request for which code is generated. */
export type CodeRequest = SearchCode | MetadataCode | TransferCode | StatusCode;

/** The path and JSON body of a request; a GET request has no body. */
interface HttpForm {
  /** The path relative to the service's address, with a leading slash. */
  readonly path: string;
  readonly body?: JsonObject;
}

const api = '/api/v1';

/** Returns the path and body of a request. Omits undefined fields. */
export function toHttpForm(request: CodeRequest): HttpForm {
  switch (request.kind) {
    case 'search':
      return { path: `${api}/files`, body: withoutKind(request) };
    case 'metadata': {
      const { database, orcid, ids } = request;
      return { path: `${api}/files/by-id`, body: { database, orcid, file_ids: ids } };
    }
    case 'transfer': {
      const { ids, ...others } = withoutKind(request);
      return { path: `${api}/transfers`, body: { ...others, file_ids: ids } };
    }
    case 'status':
      return { path: `${api}/transfers/${encodeURIComponent(request.id)}` };
  }
}

function withoutKind({ kind: _kind, ...fields }: CodeRequest): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Returns the text of the comment that describes a request in generated code, without the comment character. */
export function getComment({ kind }: CodeRequest): string {
  const comments: Readonly<Record<CodeRequest['kind'], string>> = {
    search: 'Search files',
    metadata: 'Fetch file metadata',
    transfer: 'Submit a transfer; each run starts another one',
    status: 'Get the status of a transfer',
  };
  return comments[kind];
}

/** Matches characters that are invisible or that change how other text is displayed. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Defines how a language writes JSON values. */
export interface ValueSyntax {
  readonly indentation: string;
  readonly constants: { readonly true: string; readonly false: string; readonly null: string };
  readonly list: readonly [open: string, close: string];
  readonly object: readonly [open: string, close: string];
  readonly emptyObject: string;
  formatMember(name: string, value: string): string;
}

/** Formats a JSON value as an expression, which can span several lines. Doesn't indent the first line. */
export function formatValue(value: unknown, syntax: ValueSyntax, indentation = ''): string {
  if (typeof value === 'string') return quoteText(value);
  if (typeof value === 'boolean') return syntax.constants[value ? 'true' : 'false'];
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : syntax.constants.null;
  if (typeof value !== 'object' || value === null) return syntax.constants.null;
  return Array.isArray(value) ? formatList(value, syntax, indentation) : formatObject(value, syntax, indentation);
}

function formatList(list: readonly unknown[], syntax: ValueSyntax, indentation: string): string {
  if (list.length === 0) return syntax.list.join('');
  const inner = indentation + syntax.indentation;
  const items = list.map((item) => formatValue(item, syntax, inner));
  return wrapLines(syntax.list, items, inner, indentation);
}

function formatObject(object: object, syntax: ValueSyntax, indentation: string): string {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  if (entries.length === 0) return syntax.emptyObject;
  const inner = indentation + syntax.indentation;
  const members = entries.map(([name, value]) =>
    syntax.formatMember(quoteText(name), formatValue(value, syntax, inner)),
  );
  return wrapLines(syntax.object, members, inner, indentation);
}

function wrapLines([open, close]: readonly [string, string], items: readonly string[], inner: string, outer: string) {
  return `${open}\n${items.map((item) => inner + item).join(',\n')}\n${outer}${close}`;
}

/** Quotes text for Python and R. Escapes invisible characters. */
export function quoteText(text: string): string {
  return JSON.stringify(text).replace(unprintable, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
  });
}

/** Formats a value as indented JSON. Escapes invisible characters, except for the line feeds between lines. */
export function formatJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replace(unprintable, (character) =>
    character === '\n' ? character : escapeUnits(character),
  );
}

function escapeUnits(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** Quotes text for a POSIX shell. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
