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
