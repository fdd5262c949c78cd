import * as z from 'zod/mini';
import { isJsonObject, type JsonObject } from '../../core/util/json.ts';
import { inputSchemaOf, schemaAt } from './expectation.ts';
import { wrongFields } from './httpProblem.ts';
import { fieldProblemAt, mostNamed, problemsOf, type FieldProblem } from './issues.ts';

/** Where the fields of a request come from. */
export interface FieldSource {
  /** The `{name}` parts of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Reads the JSON body; throws the matching problem when it cannot be had. */
  readonly readBody: () => Promise<unknown>;
}

/** What an operation takes, one schema for each place that fields can stand in. Without one nothing is read there. */
export interface FieldSchemas<P extends z.ZodMiniType, Q extends z.ZodMiniType, B extends z.ZodMiniType> {
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
}

/** The fields of a request, checked. */
export interface Fields<P extends z.ZodMiniType, Q extends z.ZodMiniType, B extends z.ZodMiniType> {
  readonly params: z.output<P>;
  readonly query: z.output<Q>;
  readonly body: z.output<B>;
}

/** One place that fields can stand in. */
interface Place {
  /** Begins the locations of its fields. */
  readonly root: 'path' | 'query' | 'body';
  readonly schema: z.ZodMiniType;
  readonly json: JsonObject;
}

/**
 * Makes the function that reads and checks all fields of a request. It throws 422 that names every wrong one, or what
 * `readBody` throws.
 */
export function fieldReader<P extends z.ZodMiniType, Q extends z.ZodMiniType, B extends z.ZodMiniType>(
  schemas: FieldSchemas<P, Q, B>,
): (given: FieldSource) => Promise<Fields<P, Q, B>> {
  const path = place('path', schemas.params);
  const query = place('query', schemas.query);
  const body = place('body', schemas.body);
  return async (given) => {
    const problems: FieldProblem[] = [];
    const fields = {
      params: path === undefined ? undefined : check(path, given.params, problems),
      query: query === undefined ? undefined : check(query, queryFields(query, given.query, problems), problems),
      body: body === undefined ? undefined : checkBody(body, await given.readBody(), problems),
    };
    if (problems.length > 0) throw wrongFields(problems);
    // Nothing was wrong, so each is what its schema gives.
    return fields as Fields<P, Q, B>;
  };
}

function place(root: Place['root'], schema: z.ZodMiniType | undefined): Place | undefined {
  return schema === undefined ? undefined : { root, schema, json: inputSchemaOf(schema) };
}

function check({ root, schema, json }: Place, value: unknown, problems: FieldProblem[]): unknown {
  const result = z.safeParse(schema, value);
  if (result.success) return result.data;
  problems.push(...problemsOf(json, value, result.error.issues, root));
  return undefined;
}

/** A list with millions of wrong entries must not become millions of issues: lists of text are looked at beforehand. */
function checkBody(body: Place, value: unknown, problems: FieldProblem[]): unknown {
  if (!isJsonObject(value)) return check(body, value, problems);
  const checked = { ...value };
  for (const [name, list] of Object.entries(value)) {
    if (!Array.isArray(list) || !isTextList(schemaAt(body.json, [name]))) continue;
    const { named, more } = wrongEntries(list);
    if (named.length === 0) continue;
    problems.push(...named.map((index) => fieldProblemAt('body', [name, index], 'must be text')));
    if (more > 0) problems.push({ message: `and ${more} more`, location: `body.${name}` });
    checked[name] = [''];
  }
  return check(body, checked, problems);
}

function isTextList(schema: JsonObject | undefined): boolean {
  const items = schema?.['items'];
  return isJsonObject(items) && items['type'] === 'string';
}

/** Returns the places of the first entries that are not text, and how many follow. */
function wrongEntries(list: readonly unknown[]): { readonly named: readonly number[]; readonly more: number } {
  const named: number[] = [];
  let more = 0;
  for (const [index, entry] of list.entries()) {
    if (typeof entry === 'string') continue;
    if (named.length < mostNamed) named.push(index);
    else more += 1;
  }
  return { named, more };
}

/** A query string as an object: whole numbers are read as such, and lists are parted by commas, as the schema wants them. */
function queryFields(query: Place, given: URLSearchParams, problems: FieldProblem[]): JsonObject {
  const fields = Object.create(null) as JsonObject;
  for (const name of new Set(given.keys())) {
    const values = given.getAll(name);
    const wanted = schemaAt(query.json, [name]);
    if (values.length > 1 && wanted !== undefined) {
      problems.push(fieldProblemAt('query', [name], 'must be given only once'));
    }
    const value = queryValue(values[0] ?? '', wanted?.['type']);
    if (value !== undefined) fields[name] = value;
  }
  return { ...fields };
}

/** An empty text is no number, and so counts as not given. */
function queryValue(text: string, type: unknown): unknown {
  if (type === 'integer') return text === '' ? undefined : /^-?\d+$/.test(text) ? Number(text) : text;
  return type === 'array' ? text.split(',').filter((part) => part !== '') : text;
}
