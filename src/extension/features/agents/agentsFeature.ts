import type { Explorer } from '../../../core/explorer.ts';
import { systemClock as clock } from '../../../core/util/clock.ts';
import type { Lifetime } from '../../../core/util/lifetime.ts';
import type { AgentDesk } from './agentDesk.ts';
import { watchPlanNotifications } from './planNotifications.ts';
import { ProposedPlans } from './proposedPlans.ts';
import { WindowPolicy } from './windowPolicy.ts';
import type { CommandServices, EditorServices } from '../services.ts';
import type { ToolCall } from '../../editor/languageModelTools.ts';
import { command } from '../../editor/contributions.ts';
import { copyMcpConfiguration } from './copyMcpConfiguration.ts';
import { confirmPlan, declinePlan } from './planReview.ts';

/** The commands of agents. */
export const agentCommands = {
  'dataTransfer.confirmPlan': command(confirmPlan, { takes: ['plan'], icon: 'check' }),
  'dataTransfer.declinePlan': command(declinePlan, { takes: ['plan'], icon: 'close' }),
  'dataTransfer.copyMcpConfiguration': command(copyMcpConfiguration),
};

declare module '../../editor/contributions.ts' {
  interface CommandTables {
    readonly agents: typeof agentCommands;
  }
}

/** Starts listing and announcing agents' transfers. Shares their setting with command line and MCP server. */
export function startAgents(
  lifetime: Lifetime,
  { notificationClaims }: Explorer,
  { commandLinePaths: { ledgerFolder }, log, notifications, settings }: EditorServices,
): Pick<CommandServices, 'proposedPlans' | 'agentPolicy'> {
  const agentPolicy = new WindowPolicy(ledgerFolder, settings);
  lifetime.track(agentPolicy.follow(log));
  const plans = lifetime.track(new ProposedPlans({ ledgerFolder, clock, log }));
  lifetime.track(
    watchPlanNotifications({ plans, notifications, clock, claim: (name) => notificationClaims.claim(name) }),
  );
  void plans.refresh();
  return { proposedPlans: plans, agentPolicy };
}

/** Returns a function that runs the agents' tools. The first call loads the code of the tools. */
export function createToolCaller(services: CommandServices): (call: ToolCall) => Promise<string> {
  let loading: Promise<AgentDesk> | undefined;
  const load = async (): Promise<AgentDesk> => {
    const { AgentDesk } = await import('./agentDesk.ts');
    return new AgentDesk(services);
  };
  return async (call) => await (await (loading ??= load())).call(call);
}
