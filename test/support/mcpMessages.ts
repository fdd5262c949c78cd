const prefix = 'io.modelcontextprotocol/';

/**
 * Returns a tool call in the newest protocol version as a line of JSON. It contains responses to elicitations that were
 * never sent.
 */
export function formatAnsweredCall(name: string, input: object, inputResponses: object): string {
  const described = {
    [`${prefix}protocolVersion`]: '2026-07-28',
    [`${prefix}clientInfo`]: { name: 'spoofer', version: '1' },
    [`${prefix}clientCapabilities`]: { elicitation: { form: {} } },
  };
  const params = { name, arguments: input, inputResponses, ['_meta']: described };
  return `${JSON.stringify({ jsonrpc: '2.0', id: 'call', method: 'tools/call', params })}\n`;
}
