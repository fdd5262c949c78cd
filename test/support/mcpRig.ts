import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { cliProgram } from './cliProcess.ts';

/** The answer of a tool; `content` is its parsed JSON. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly content: Record<string, unknown>;
  /** The length of the JSON text, in characters. */
  readonly length: number;
}

interface AgentOptions {
  /** The kinds of elicitation that the client declares. By default, it declares none, as earlier clients do. */
  readonly elicitation?: { readonly form?: Record<string, never>; readonly url?: Record<string, never> };
  /** Options of the server's command, such as the connection. */
  readonly args?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Answers elicitations. If omitted, the client doesn't support them. */
  readonly onElicit?: (message: string) => {
    readonly action: 'accept' | 'decline' | 'cancel';
    readonly confirm?: boolean;
  };
}

/** An agent: the official MCP client, with the shipped command line as its server. */
export class TestAgent {
  readonly client: Client;
  /** Number of elicitations that the server has sent. */
  questionCount = 0;
  private readonly transport: StdioClientTransport;
  private stderr = '';

  private constructor(options: AgentOptions) {
    const { args = [], environment, onElicit, elicitation = {} } = options;
    const capabilities = onElicit ? { elicitation } : {};
    this.client = new Client({ name: 'test-agent', version: '1.0.0' }, { capabilities });
    this.transport = new StdioClientTransport({
      command: process.execPath,
      args: [cliProgram, 'mcp', ...args],
      stderr: 'pipe',
      env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...environment },
    });
    this.transport.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    if (!onElicit) return;
    this.client.setRequestHandler('elicitation/create', ({ params }) => {
      this.questionCount += 1;
      const { action, confirm } = onElicit(params.message);
      return action === 'accept' ? { action, content: { confirm: confirm ?? true } } : { action };
    });
  }

  /** Starts the server and connects to it. */
  static async start(options: AgentOptions): Promise<TestAgent> {
    const agent = new TestAgent(options);
    await agent.client.connect(agent.transport);
    return agent;
  }

  get pid(): number {
    return this.transport.pid ?? 0;
  }

  /** Everything that the server has written to standard error. */
  get log(): string {
    return this.stderr;
  }

  /** Calls a tool and returns its answer, even if it is an error. Rejects after two minutes. */
  async call(name: string, input: Record<string, unknown> = {}): Promise<ToolAnswer> {
    const result = await this.client.callTool({ name, arguments: input }, { timeout: 120_000 });
    const [first] = result.content;
    const text = first?.type === 'text' ? first.text : '';
    return {
      isError: result.isError === true,
      content: JSON.parse(text) as Record<string, unknown>,
      length: text.length,
    };
  }

  /** Calls a tool and returns the content of its answer. Throws if the answer is an error. */
  async get(name: string, input?: Record<string, unknown>): Promise<Record<string, unknown>> {
    const { isError, content } = await this.call(name, input);
    if (isError) throw new Error(JSON.stringify(content));
    return content;
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}
