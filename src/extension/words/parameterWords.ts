import { env, l10n } from 'vscode';
import type { SearchParameter } from '../../core/model/databaseModel.ts';
import { parseWrittenDate, parseWrittenSize, writeDate, writeSize } from '../../core/util/writtenValues.ts';
import { formatList, plural } from './localeFormats.ts';
import { toPlainLine } from './plainText.ts';

/** Returns a string unchanged, and any other value as JSON. */
export function formatParameterValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Describes the values that a parameter accepts, such as "one of asc, desc", "text" or "number". */
export function describeParameterType({ type, values }: SearchParameter): string {
  if (values.length > 0) return l10n.t('one of {0}', toPlainLine(formatList(values.map(formatParameterValue))));
  const scalar = /^array\((\w+)\)$/.exec(type)?.[1] ?? type;
  const words: Readonly<Record<string, string>> = {
    string: l10n.t('text'),
    number: l10n.t('number'),
    boolean: l10n.t('true or false'),
  };
  return Object.hasOwn(words, scalar) ? (words[scalar] ?? '') : toPlainLine(type);
}

/** Converts between a parameter's value and the notation that users see and type, for example 1000000 and "1 MB". */
export interface ParameterForm {
  /** Example of the notation. */
  readonly example: string;
  /** Returns the value to send, or undefined if the text can't be parsed. */
  parse(text: string): unknown;
  /** Formats a value in this notation. Omits fractions of a second. */
  write(value: unknown): string;
  /** Describes the parsed value in full, for example as the exact number of bytes. */
  describe(value: unknown): string;
}

/** Display properties of a local service parameter. */
interface LocalParameter {
  readonly label: string;
  readonly form?: ParameterForm;
  /** Display names of the parameter's predefined values. */
  readonly values?: Readonly<Record<string, string>>;
}

/** Returns the local service's parameters, keyed by name (D21: search syntax). */
function getLocalParameters(): Readonly<Record<string, LocalParameter>> {
  const orders = { asc: l10n.t('ascending'), desc: l10n.t('descending') };
  const keys = { bytes: l10n.t('size'), modified: l10n.t('date modified') };
  const names = { relevance: l10n.t('relevance'), path: l10n.t('path'), name: l10n.t('name') };
  return {
    format: { label: l10n.t('File format') },
    path: { label: l10n.t('Path') },
    minBytes: { label: l10n.t('Minimum size'), form: sizeForm },
    maxBytes: { label: l10n.t('Maximum size'), form: sizeForm },
    modifiedAfter: { label: l10n.t('Modified after'), form: dateForm },
    sort: { label: l10n.t('Sort by'), values: { ...keys, ...names } },
    order: { label: l10n.t('Sort order'), values: orders },
  };
}

function findLocalParameter(name: string, isLocal: boolean): LocalParameter | undefined {
  const parameters = isLocal ? getLocalParameters() : {};
  return Object.hasOwn(parameters, name) ? parameters[name] : undefined;
}

/** Returns a parameter's label. Only the local service's parameters have labels that differ from their names. */
export function getParameterLabel(name: string, isLocal: boolean): string {
  return findLocalParameter(name, isLocal)?.label ?? (toPlainLine(name) || l10n.t('(no name)'));
}

/**
 * Returns the notation for a parameter of the local service. Returns undefined if users type the value exactly as it is
 * sent.
 */
export function findParameterForm(name: string, isLocal: boolean): ParameterForm | undefined {
  return findLocalParameter(name, isLocal)?.form;
}

/** Formats a parameter's value for display. */
export function describeParameterValue(name: string, value: unknown, isLocal: boolean): string {
  const parameter = findLocalParameter(name, isLocal);
  const text = formatParameterValue(value);
  if (parameter?.form) return parameter.form.write(value);
  const { values = {} } = parameter ?? {};
  return toPlainLine(Object.hasOwn(values, text) ? (values[text] ?? text) : text);
}

/** Formats a parameter's label and value. */
export function describeParameter(name: string, value: unknown, isLocal: boolean): string {
  return l10n.t('{0}: {1}', getParameterLabel(name, isLocal), describeParameterValue(name, value, isLocal));
}

const sizeForm: ParameterForm = {
  get example() {
    return l10n.t('10 MB or 1.5 GiB');
  },
  parse: parseWrittenSize,
  write: (value) => (typeof value === 'number' ? writeSize(value) : formatParameterValue(value)),
  describe: (value) => plural(Number(value), '{0} byte', '{0} bytes'),
};

const dateForm: ParameterForm = {
  get example() {
    return l10n.t('last week, 3 days ago, or {0}', '2026-05-01');
  },
  parse: (text) => {
    const at = parseWrittenDate(text, Date.now());
    return at === undefined ? undefined : new Date(at).toISOString();
  },
  write: (value) => {
    const at = Date.parse(String(value));
    return Number.isNaN(at) ? formatParameterValue(value) : writeDate(at);
  },
  describe: (value) =>
    new Intl.DateTimeFormat(env.language, { dateStyle: 'full', timeStyle: 'short' }).format(Date.parse(String(value))),
};
