import type { AgentTool } from './agentTool.ts';
import { cancelTransferTool } from './cancelTransferTool.ts';
import { describeFilesTool } from './describeFilesTool.ts';
import { listDatabasesTool } from './listDatabasesTool.ts';
import { planTransferTool } from './planTransferTool.ts';
import { searchFilesTool } from './searchFilesTool.ts';
import { submitTransferTool } from './submitTransferTool.ts';
import { transferStatusTool } from './transferStatusTool.ts';

/** The tools for agents, in order of typical use. The editor and the MCP server offer the same tools. */
export const agentTools: readonly AgentTool[] = [
  ...[listDatabasesTool, searchFilesTool, describeFilesTool],
  ...[planTransferTool, submitTransferTool, transferStatusTool, cancelTransferTool],
];
