import * as z from 'zod/mini';
import { omit, type JsonObject } from '../util/json.ts';
import type { AgentTool } from './agentTool.ts';

/** Returns the JSON schema of a tool's input, for `package.json` and for the MCP server. */
export function createInputSchema({ input }: AgentTool): JsonObject {
  return omit(z.toJSONSchema(input, { io: 'input' }), '$schema');
}
