import { getComment, writeVariableComment, type CodeRequest, type CodeService } from './codeRequest.ts';
import { formatValue, quoteText, type ValueSyntax } from './literals.ts';

const syntax: ValueSyntax = {
  indentation: '    ',
  constants: { true: 'True', false: 'False', null: 'None' },
  list: ['[', ']'],
  object: ['{', '}'],
  emptyObject: '{}',
  formatMember: (name, value) => `${name}: ${value}`,
};

/**
 * Returns a Python program that sends the requests with dtspy. The library encodes the key itself and rejects a search
 * with an empty query. After most errors, it only logs a message and returns None or, in recent versions, an empty
 * list.
 */
export function writePython(service: CodeService, requests: readonly CodeRequest[]): string {
  const { address, keyVariable, addressVariable } = service;
  const server = addressVariable === undefined ? quoteText(address) : `os.environ[${quoteText(addressVariable)}]`;
  return [
    'import os\n',
    'import dts  # pip install git+https://github.com/kbase/dtspy\n',
    writeVariableComment(service),
    `client = dts.Client(api_key=os.environ[${quoteText(keyVariable)}], server=${server})\n`,
    ...requests.map((request) => `# ${getComment(request)}\n${writeRequest(request)}\n`),
    'client.disconnect()',
  ].join('\n');
}

function writeRequest(request: CodeRequest): string {
  switch (request.kind) {
    case 'search':
    case 'metadata':
      return writeFileRequest(request);
    case 'transfer':
      return writeTransfer(request);
    case 'status':
      return writeStatus(request.id);
  }
}

function writeFileRequest(request: Extract<CodeRequest, { readonly kind: 'search' | 'metadata' }>): string {
  const { kind, ...fields } = request;
  const { ids, ...others } = { ids: undefined, ...fields };
  const [method, all] = kind === 'search' ? ['search', others] : ['fetch_metadata', { ...others, file_ids: ids }];
  return [
    'try:',
    `    files = ${writeCall(method, all, '    ')}`,
    ...emptyResultLines,
    'for file in files:',
    '    print(file.to_dict()["id"], file.path)',
  ].join('\n');
}

/**
 * The lines that handle an empty result. If the service sends null, dtspy raises TypeError. After an error, earlier
 * versions of dtspy return None.
 */
const emptyResultLines = [
  'except TypeError as error:',
  '    if "NoneType" not in str(error):',
  '        raise',
  '    files = []  # dtspy fails this way if the service found nothing.',
  'if files is None:',
  '    raise SystemExit("The files are not available.")',
  'if not files:',
  '    print("No files were returned.")',
];

function writeTransfer({ kind: _kind, ids, ...others }: Extract<CodeRequest, { readonly kind: 'transfer' }>): string {
  return [
    `transfer_id = ${writeCall('transfer', { ...others, file_ids: ids })}`,
    'if transfer_id is None:',
    '    raise SystemExit("The server did not confirm the transfer. It may have started anyway.")',
    'print(transfer_id)',
  ].join('\n');
}

function writeStatus(id: string): string {
  return [
    `status = client.transfer_status(${quoteText(id)})`,
    'if status is None:',
    '    raise SystemExit("The status is not available.")',
    'print(status.status, status.message)',
    'print(status.num_files_transferred, "of", status.num_files, "files")',
  ].join('\n');
}

function writeCall(method: string, given: Readonly<Record<string, unknown>>, indentation = ''): string {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  const inner = `${indentation}    `;
  const lines = entries.map(([name, value]) => `${inner}${name}=${formatValue(value, syntax, inner)},\n`);
  return `client.${method}(\n${lines.join('')}${indentation})`;
}
