import { getComment, toHttpForm, writeVariableComment, type CodeRequest, type CodeService } from './codeRequest.ts';
import { formatValue, quoteText, type ValueSyntax } from './literals.ts';

const syntax: ValueSyntax = {
  indentation: '  ',
  constants: { true: 'TRUE', false: 'FALSE', null: 'NULL' },
  list: ['list(', ')'],
  object: ['list(', ')'],
  emptyObject: 'structure(list(), names = character())',
  formatMember: (name, value) => `${name} = ${value}`,
};

/** Writes an R program that sends the requests with httr2. */
export function writeR(service: CodeService, requests: readonly CodeRequest[]): string {
  const { addressVariable } = service;
  return [
    'library(httr2)\n',
    writeVariableComment(service),
    ...(addressVariable === undefined ? [] : readVariable('address', addressVariable)),
    ...readVariable('key', service.keyVariable),
    `service <- request(${addressVariable === undefined ? quoteText(service.address) : 'address'}) |>`,
    `  req_auth_bearer_token(${service.scheme === 'plain' ? 'key' : 'openssl::base64_encode(charToRaw(key))'})\n`,
    requests.map(writeRequest).join('\n\n'),
  ].join('\n');
}

function readVariable(name: string, variable: string): readonly string[] {
  return [
    `${name} <- Sys.getenv(${quoteText(variable)})`,
    `if (${name} == "") stop("The environment variable ${variable} is not set.")`,
  ];
}

function writeRequest(request: CodeRequest): string {
  const { path, body } = toHttpForm(request);
  return [
    `# ${getComment(request)}`,
    'result <- service |>',
    `  req_url_path_append(${quoteText(path.slice(1))}) |>`,
    ...(body === undefined ? [] : [`  req_body_json(${formatValue(body, syntax, '  ')}) |>`]),
    '  req_perform() |>',
    '  resp_body_json()',
    'str(result)',
  ].join('\n');
}
