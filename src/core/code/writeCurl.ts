import { getComment, toHttpForm, writeVariableComment, type CodeRequest, type CodeService } from './codeRequest.ts';
import { formatJson, quoteForShell } from './literals.ts';

/**
 * Writes a shell script for bash and sh that sends the requests with curl. Passes the key to curl through standard
 * input, because other users of the machine can read curl's command line.
 */
export function writeCurl(service: CodeService, requests: readonly CodeRequest[]): string {
  const variables = [service.addressVariable ?? [], service.keyVariable].flat();
  const checks = variables.map((variable) => `: "\${${variable}:?is not set}"`);
  return [
    [writeVariableComment(service), ...checks].join('\n'),
    ...requests.map((request) => writeRequest(service, request)),
  ].join('\n\n');
}

function writeRequest(service: CodeService, request: CodeRequest): string {
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
