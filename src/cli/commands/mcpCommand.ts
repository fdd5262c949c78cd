import type { Command } from 'commander';
import type { McpFlags } from '../agents/serveAgents.ts';
import { runAction } from '../runAction.ts';

/** Adds `mcp`, which serves agents. The protocol code is loaded only when the command runs. */
export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('serve agents with the Model Context Protocol, over standard input and output')
    .option('--trust-elicitation', 'let the client ask you for confirmation; some clients answer automatically')
    .action((flags: McpFlags, command: Command) =>
      runAction(command, async (context) => {
        const { serveAgents } = await import('../agents/serveAgents.ts');
        return await serveAgents(context, flags);
      }),
    );
}
