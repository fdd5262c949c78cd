import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { startLocalService, type StartedService } from '../support/localService.ts';
import { waitForScans } from '../support/waitForScans.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly description: string;
  readonly style?: string;
  readonly explode?: boolean;
  readonly schema: Schema;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Values of request fields. Each field is identified by a pattern that matches the field's description. */
type Meanings = readonly (readonly [meaning: RegExp, value: unknown])[];

/** A client that takes all paths, methods, names and media types from the OpenAPI document. */
class DocumentClient {
  private readonly address: string;
  private readonly token: string;
  private readonly document: Document;

  private constructor(address: string, token: string, document: Document) {
    this.address = address;
    this.token = token;
    this.document = document;
  }

  static async connect(address: string, token: string): Promise<DocumentClient> {
    const response = await fetch(`${address}/openapi.json`);
    return new DocumentClient(address, token, (await response.json()) as Document);
  }

  /** Sends a request. Returns the response or, if `part` is given, only the property whose description matches it. */
  async send(operationId: string, meanings: Meanings, part?: RegExp): Promise<unknown> {
    const [template, method, operation] = this.find(operationId);
    const parameters = operation.parameters ?? [];
    const values = new Map<Parameter, string>();
    for (const parameter of parameters) {
      const value = meanings.find(([meaning]) => meaning.test(parameter.description))?.[1];
      if (value !== undefined) values.set(parameter, formatParameter(parameter, value));
    }
    const query = [...values].filter(([parameter]) => parameter.in === 'query');
    const path = [...values].filter(([parameter]) => parameter.in === 'path');
    const target = path.reduce((text, [{ name }, value]) => text.replace(`{${name}}`, value), template);
    const search = query.map(([{ name }, value]) => `${name}=${value}`).join('&');
    const response = await fetch(`${this.address}${target}${search === '' ? '' : `?${search}`}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': this.mediaType(operation) },
      ...this.createBody(operation, meanings),
    });
    assert.equal(response.status, 200, await response.clone().text());
    const answer: unknown = await response.json();
    return part === undefined ? answer : this.pick(operation, answer, part);
  }

  /** Returns the name of the property whose description matches `meaning`. */
  findName(schema: Schema | undefined, meaning: RegExp): string {
    const properties = Object.entries(this.follow(schema).properties ?? {});
    const found = properties.find(([, field]) => meaning.test(this.follow(field).description ?? ''));
    assert.ok(found, String(meaning));
    return found[0];
  }

  getAnswerSchema(operationId: string): Schema | undefined {
    return Object.values(this.find(operationId)[2].responses['200']?.content ?? {})[0]?.schema;
  }

  follow(schema: Schema | undefined): Schema {
    const name = schema?.$ref?.replace('#/components/schemas/', '');
    return (name === undefined ? schema : this.document.components.schemas[name]) ?? {};
  }

  private find(operationId: string): [template: string, method: string, operation: Operation] {
    for (const [template, methods] of Object.entries(this.document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        if (operation.operationId === operationId) return [template, method.toUpperCase(), operation];
      }
    }
    throw new Error(`There is no operation ${operationId}.`);
  }

  private mediaType(operation: Operation): string {
    return Object.keys(operation.requestBody?.content ?? {})[0] ?? 'application/json';
  }

  private createBody(operation: Operation, meanings: Meanings): { body?: string } {
    const schema = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
    if (schema === undefined) return {};
    const fields = meanings.map(([meaning, value]) => [this.findName(schema, meaning), value]);
    return { body: JSON.stringify(Object.fromEntries(fields)) };
  }

  private pick(operation: Operation, answer: unknown, part: RegExp): unknown {
    const schema = Object.values(operation.responses['200']?.content ?? {})[0]?.schema;
    return (answer as Readonly<Record<string, unknown>>)[this.findName(schema, part)];
  }
}

function formatParameter({ style, explode }: Parameter, value: unknown): string {
  if (!Array.isArray(value)) return encodeURIComponent(String(value));
  assert.deepEqual([style, explode], ['form', false]);
  return value.map((part) => encodeURIComponent(String(part))).join(',');
}

describe('Any HTTP client that reads the OpenAPI document (D26)', () => {
  const count = 10_000;
  const pageSize = 1_000;
  let folder: string;
  let service: StartedService;
  let client: DocumentClient;

  before(async () => {
    folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-plain-'));
    for (let part = 0; part < 100; part += 1) {
      const place = nodePath.join(folder, `part-${part}`);
      await fs.mkdir(place);
      const names = Array.from({ length: count / 100 }, (_, index) => `sample-${part}-${index}.csv`);
      await Promise.all(names.map(async (name) => await fs.writeFile(nodePath.join(place, name), 'a,b')));
    }
    service = await startLocalService({ databases: [{ name: 'Plain', folder, organization: 'Lab' }] });
    await waitForScans(service);
    client = await DocumentClient.connect(service.address, service.token);
  });

  after(async () => {
    await service.stop();
    await fs.rm(folder, { recursive: true });
  });

  async function getDatabaseName(): Promise<unknown> {
    const databases = (await client.send('listDatabases', [])) as readonly Readonly<Record<string, unknown>>[];
    const schema = client.follow(client.getAnswerSchema('listDatabases')).items;
    return databases[0]?.[client.findName(schema, /^Name/)];
  }

  it('lists the databases (§4.2)', async () => {
    assert.equal(await getDatabaseName(), 'Plain');
  });

  it('pages through ten thousand results and gets the metadata of selected files (§4.3, §4.4)', async () => {
    const database = await getDatabaseName();
    const common: Meanings = [
      [/name.* of a database/i, database],
      [/ORCID/, '0000-0002-1825-0097'],
    ];
    const files: Readonly<Record<string, unknown>>[] = [];
    for (let offset = 0; ; offset += pageSize) {
      const page: Meanings = [...common, [/^Words/, 'sample'], [/0-based/, offset], [/^Maximum number/, pageSize]];
      const found = (await client.send('searchFiles', page, /^The files/)) as Readonly<Record<string, unknown>>[];
      if (found.length === 0) break;
      files.push(...found);
    }
    const listSchema = client.follow(client.getAnswerSchema('searchFiles'));
    const fileSchema = client.follow(listSchema.properties?.[client.findName(listSchema, /^The files/)]).items;
    const idName = client.findName(fileSchema, /^ID of the file/);
    const ids = files.map((file) => file[idName]);
    assert.equal(new Set(ids).size, count);
    const chosen = [ids[0], ids[5_000], ids[9_999]];
    for (const operationId of ['getFilesById', 'fetchFilesById']) {
      const fields: Meanings = [...common, [/^IDs of/, chosen]];
      const got = (await client.send(operationId, fields, /^The files/)) as Readonly<Record<string, unknown>>[];
      assert.deepEqual(
        got.map((file) => file[idName]),
        chosen,
      );
    }
  });
});
