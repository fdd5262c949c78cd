import { env, l10n } from 'vscode';
import {
  CallQueue,
  createBusyDecision,
  createNotConnectedError,
  type AgentContext,
  type AgentDecision,
  type AgentQuestion,
} from '../../../core/agents/agentContext.ts';
import { callAgentTool } from '../../../core/agents/callAgentTool.ts';
import { findPlanConnection, findPlanTransfer, type TransferPlan } from '../../../core/agents/transferPlan.ts';
import type { OpenConnection } from '../../../core/connections/openConnections.ts';
import { systemClock as clock } from '../../../core/util/clock.ts';
import type { ToolCall } from '../../editor/languageModelTools.ts';
import { getUserId } from '../../editor/connectionFacts.ts';
import { describeReason } from '../../words/reasonWords.ts';
import { describeListing } from '../../words/serviceNames.ts';
import type { CommandServices } from '../services.ts';
import { sendOrder } from '../submission/submitTransfers.ts';
import { askAboutChange, askAboutPlan, reportPlanSubmission } from './planReview.ts';

/** Runs the tools that agents call in this window. Never opens a connection or starts a service. */
export class AgentDesk {
  private readonly services: CommandServices;
  private readonly queue = new CallQueue();
  private isAsking = false;

  constructor(services: CommandServices) {
    this.services = services;
  }

  /** Runs a tool. Resolves to its answer as JSON; if the tool fails, the answer describes the error. */
  async call({ name, input, signal }: ToolCall): Promise<string> {
    const context = await this.createContext(l10n.t('an agent in {0}', env.appName));
    const planId = name === 'submit_transfer' ? readPlanId(input) : '';
    const before = findPlanTransfer(this.services, planId);
    const { content } = await callAgentTool(context, name, input, signal);
    await this.services.proposedPlans.refresh();
    if (findPlanTransfer(this.services, planId)?.key !== before?.key) reportPlanSubmission(this.services, planId);
    return JSON.stringify(content);
  }

  private async createContext(requestedBy: string): Promise<AgentContext> {
    const { services, queue } = this;
    return {
      services,
      queue,
      clock,
      requestedBy,
      describeReason,
      describeListing,
      log: services.log,
      policy: services.agentPolicy,
      plans: await services.proposedPlans.openStore(),
      connect: async () => services.sessions.active ?? failUnconnected(),
      open: async (id, address) => this.findOpen(id, address),
      getOrcid: (id) => getUserId(services.settings, id),
      submit: (order, requester) => sendOrder(services, order, { requestedBy: requester }),
      findFolder: (id, destination) => services.memory.getDestinationFolder(id, destination),
      confirm: (question) => this.confirm(question, requestedBy),
    };
  }

  private findOpen(id: string, address: string | undefined): OpenConnection {
    const { sessions } = this.services;
    const open = sessions.get(id) ?? sessions.getAll().find(({ service }) => service.address === address);
    return open ?? failUnconnected(address ?? id);
  }

  /** Asks the user for a decision, and refuses while another question is open, so that agents can't flood. */
  private async confirm(question: AgentQuestion, agent: string): Promise<AgentDecision> {
    if (this.isAsking) return createBusyDecision();
    this.isAsking = true;
    try {
      if (question.kind !== 'submit') return await askAboutChange(this.services, question, agent);
      return await askAboutPlan(this.services, question.plan, this.requireConnection(question.plan));
    } finally {
      this.isAsking = false;
    }
  }

  private requireConnection(plan: TransferPlan): string {
    const open = findPlanConnection(this.services.sessions, plan);
    return open ? open.connection.id : failUnconnected(plan.service.name);
  }
}

function failUnconnected(serviceName?: string): never {
  throw createNotConnectedError(serviceName);
}

function readPlanId(input: unknown): string {
  const { planId } = (input ?? {}) as { readonly planId?: unknown };
  return typeof planId === 'string' ? planId : '';
}
