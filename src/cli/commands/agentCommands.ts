import type { Command } from 'commander';
import type { PlanActionName } from '../agents/planActions.ts';
import type { McpFlags } from '../agents/serveAgents.ts';
import { runAction } from '../commandContext.ts';

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

/** Adds `plans`, which lets a person list, confirm or decline the transfers that agents propose. */
export function addPlansCommand(program: Command): void {
  const plans = program
    .command('plans')
    .description('list the transfers that agents propose, and confirm or decline them');
  plans
    .command('list', { isDefault: true })
    .description('list the saved plans, newest first')
    .action((_, command: Command) => run(command, 'list', ''));
  const add = (name: PlanActionName, description: string): unknown =>
    plans
      .command(name)
      .description(description)
      .argument('<plan>', 'the ID of the plan')
      .action((id: string, _, command: Command) => run(command, name, id));
  add('show', 'print a plan');
  add('confirm', 'print a plan, and start its transfer after you have typed the number of files');
  add('decline', 'decline a plan');
}

async function run(command: Command, name: PlanActionName, id: string): Promise<void> {
  await runAction(command, async (context) => {
    const { runPlanAction } = await import('../agents/planActions.ts');
    return await runPlanAction(context, name, id);
  });
}
