import { getComment, toHttpForm, writeVariableComment, type CodeRequest, type CodeService } from './codeRequest.ts';
import { formatJson, formatValue, quoteForShell, quoteText, type ValueSyntax } from './literals.ts';
import { writePython } from './writePython.ts';

/** A language in which requests can be written. */
export type CodeLanguage = 'python' | 'curl' | 'r';

/**
 * Returns the languages that can express the requests. Python code uses dtspy, which supports neither plain tokens nor
 * a search with an empty query. R supports neither empty names nor text that contains a null character or isn't valid
 * Unicode.
 */
export function listCodeLanguages(service: CodeService, requests: readonly CodeRequest[]): readonly CodeLanguage[] {
  const isForDtspy = service.scheme === 'base64' && !requests.some((one) => one.kind === 'search' && one.query === '');
  return [...(isForDtspy ? (['python'] as const) : []), 'curl', ...(requests.every(isForR) ? (['r'] as const) : [])];
}

function isForR(value: unknown): boolean {
  if (typeof value === 'string') return !/[\0\p{Surrogate}]/u.test(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, member]) => name !== '' && isForR(name) && isForR(member));
}

/**
 * Writes a program that sends the requests. The program reads the key from an environment variable. The returned text
 * doesn't end with a line feed.
 */
export function writeCode(language: CodeLanguage, service: CodeService, requests: readonly CodeRequest[]): string {
  const write = { python: writePython, curl: writeCurl, r: writeR }[language];
  return write(service, requests);
}

const rSyntax: ValueSyntax = {
  indentation: '  ',
  constants: { true: 'TRUE', false: 'FALSE', null: 'NULL' },
  list: ['list(', ')'],
  object: ['list(', ')'],
  emptyObject: 'structure(list(), names = character())',
  formatMember: (name, value) => `${name} = ${value}`,
};

function writeR(service: CodeService, requests: readonly CodeRequest[]): string {
  const { addressVariable } = service;
  return [
    'library(httr2)\n',
    writeVariableComment(service),
    ...(addressVariable === undefined ? [] : readVariable('address', addressVariable)),
    ...readVariable('key', service.keyVariable),
    `service <- request(${addressVariable === undefined ? quoteText(service.address) : 'address'}) |>`,
    `  req_auth_bearer_token(${service.scheme === 'plain' ? 'key' : 'openssl::base64_encode(charToRaw(key))'})\n`,
    requests.map(writeRRequest).join('\n\n'),
  ].join('\n');
}

function readVariable(name: string, variable: string): readonly string[] {
  return [
    `${name} <- Sys.getenv(${quoteText(variable)})`,
    `if (${name} == "") stop("The environment variable ${variable} is not set.")`,
  ];
}

function writeRRequest(request: CodeRequest): string {
  const { path, body } = toHttpForm(request);
  return [
    `# ${getComment(request)}`,
    'result <- service |>',
    `  req_url_path_append(${quoteText(path.slice(1))}) |>`,
    ...(body === undefined ? [] : [`  req_body_json(${formatValue(body, rSyntax, '  ')}) |>`]),
    '  req_perform() |>',
    '  resp_body_json()',
    'str(result)',
  ].join('\n');
}

/**
 * Writes a shell script for bash and sh that sends the requests with curl. Passes the key to curl through standard
 * input, because other users of the machine can read curl's command line.
 */
function writeCurl(service: CodeService, requests: readonly CodeRequest[]): string {
  const variables = [service.addressVariable ?? [], service.keyVariable].flat();
  const checks = variables.map((variable) => `: "\${${variable}:?is not set}"`);
  return [
    [writeVariableComment(service), ...checks].join('\n'),
    ...requests.map((request) => writeCurlRequest(service, request)),
  ].join('\n\n');
}

function writeCurlRequest(service: CodeService, request: CodeRequest): string {
  const { path, body } = toHttpForm(request);
  const { addressVariable } = service;
  const address =
    addressVariable === undefined
      ? quoteForShell(service.address + path)
      : `"$${addressVariable}"${quoteForShell(path)}`;
  const [options, document] = body === undefined ? ['', ''] : [bodyOptions, ` 3<<'JSON'\n${formatJson(body)}\nJSON`];
  const command = `curl --silent --show-error --fail-with-body --globoff --header @- ${options}${address}${document}`;
  return `# ${getComment(request)}\n${writeHeader(service)} |\n  ${command}`;
}

const bodyOptions = `\\
    --header 'Content-Type: application/json' --data-binary @/dev/fd/3 \\
    `;

/** Writes the command that prints the `Authorization` header (D5: token encoding). */
function writeHeader({ keyVariable, scheme }: CodeService): string {
  const encoded = `"$(printf '%s' "$${keyVariable}" | base64 | tr -d '\\n')"`;
  const token = scheme === 'plain' ? `"$${keyVariable}"` : encoded;
  return `printf 'Authorization: Bearer %s\\n' ${token}`;
}
