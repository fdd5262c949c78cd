import { join } from 'node:path';
import {
  CallQueue,
  type AgentContext,
  type AgentDecision,
  type AgentQuestion,
} from '../../../src/core/agents/agentContext.ts';
import { AgentError } from '../../../src/core/agents/agentError.ts';
import { AgentPolicy } from '../../../src/core/agents/agentPolicy.ts';
import { callAgentTool, type AgentAnswer } from '../../../src/core/agents/callAgentTool.ts';
import { PlanStore } from '../../../src/core/agents/planStore.ts';
import type { OpenConnection } from '../../../src/core/connections/openConnections.ts';
import { describeListing } from '../../../src/cli/text/sentences.ts';
import { chooseBehavior, json } from '../../support/faultBehaviors.ts';
import { orcid } from '../../support/explorerDependencies.ts';
import { Rig } from './rig.ts';

/** Additional metadata fields of the server's files, by file ID. */
export type StagedFiles = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Calls agent tools against a fault server and simulates a user whose decisions the test sets. */
export class AgentStage {
  readonly rig: Rig;
  /** The questions that the user was asked, in order. */
  readonly questions: AgentQuestion[] = [];
  /** Returns the user's decision on a question. */
  decide: (question: AgentQuestion) => AgentDecision | Promise<AgentDecision> = () => ({ kind: 'no', by: 'test' });
  readonly policy: AgentPolicy;
  readonly queue = new CallQueue();
  private readonly folder: string;

  private constructor(rig: Rig) {
    this.rig = rig;
    this.folder = join(rig.folder, 'transfers');
    this.policy = new AgentPolicy(this.folder);
  }

  /** Starts a stage that is connected to a server with the given files. */
  static async start(files: StagedFiles): Promise<AgentStage> {
    const rig = await Rig.start();
    const describe = (id: string): object => ({ id, name: id, path: `${id}.csv`, bytes: 5, ...files[id] });
    const lookUp = chooseBehavior(({ query }) => {
      const ids = (query.get('ids') ?? '').split(',').filter((id) => Object.hasOwn(files, id));
      return json({ resources: ids.map(describe) });
    });
    rig.server.on('GET /api/v1/files/by-id', lookUp);
    rig.server.on('POST /api/v1/files', json({ resources: Object.keys(files).map(describe) }));
    await rig.connect();
    return new AgentStage(rig);
  }

  get submissionCount(): number {
    return this.rig.server.requestsTo('POST /api/v1/transfers').length;
  }

  /** Creates the context of an agent. Each context has its own plan store, as a separate program would. */
  createContext(requestedBy = 'test-agent'): AgentContext {
    const { explorer, clock, log } = this.rig;
    const open = (): Promise<OpenConnection> => {
      const { active } = explorer.sessions;
      return active ? Promise.resolve(active) : Promise.reject(new AgentError('notConnected', 'Not connected.'));
    };
    return {
      services: explorer,
      clock,
      log,
      requestedBy,
      connect: open,
      open,
      policy: this.policy,
      queue: this.queue,
      plans: new PlanStore(this.folder, clock, log),
      getOrcid: () => orcid,
      submit: (order, requester) => explorer.transferFlow.submit(order, undefined, undefined, requester),
      findFolder: () => Promise.resolve(this.rig.folder),
      confirm: async (question) => {
        this.questions.push(question);
        return await this.decide(question);
      },
      describeListing,
      describeReason: ({ kind, detail }) => (detail === undefined ? kind : `${kind}: ${detail}`),
    };
  }

  /** Calls a tool and advances the clock until it returns. */
  async call(name: string, input: unknown = {}, context = this.createContext()): Promise<AgentAnswer> {
    return await this.rig.advanceUntilSettled(callAgentTool(context, name, input, new AbortController().signal));
  }

  /** Plans a transfer of files and returns the ID of the plan. */
  async plan(ids: readonly string[], details: object = {}): Promise<string> {
    const { content } = await this.call('plan_transfer', { source: 'Alpha', destination: 'Beta', ids, ...details });
    if (typeof content['planId'] !== 'string') throw new Error(JSON.stringify(content));
    return content['planId'];
  }

  async end(): Promise<void> {
    await this.rig.end();
  }
}
