import {
  LanguageModelTextPart,
  LanguageModelToolResult,
  lm,
  type CancellationToken,
  type LanguageModelTool,
} from 'vscode';
import type { Disposable } from '../../core/util/lifetime.ts';

/** An agent's call to a tool. */
export interface ToolCall {
  /** The tool's name without the manifest's prefix. */
  readonly name: string;
  /** The input as received. The editor doesn't validate it against the schema. */
  readonly input: unknown;
  readonly signal: AbortSignal;
}

interface ToolFunctions {
  /** Runs a tool. Resolves to its answer as JSON. */
  call(call: ToolCall): Promise<string>;
  /** Returns the message of a chat while the tool runs; undefined for the editor's. Doesn't run the tool. */
  describe(name: string): string | undefined;
}

interface ToolManifest {
  readonly contributes: { readonly languageModelTools?: readonly { readonly name: string }[] };
}

/** Prefix of the tools' names in the manifest. All extensions share one namespace. */
const prefix = 'data_transfer_';

/** Registers the tools declared in the manifest. Does nothing if the editor doesn't support language model tools. */
export function registerLanguageModelTools(manifest: unknown, functions: ToolFunctions): readonly Disposable[] {
  const models = lm as Partial<typeof lm> | undefined;
  if (typeof models?.registerTool !== 'function') return [];
  const { languageModelTools = [] } = (manifest as ToolManifest).contributes;
  return languageModelTools.map(({ name }) => lm.registerTool(name, createTool(name.slice(prefix.length), functions)));
}

/** Creates a tool without the editor's confirmation, which settings can disable; the extension asks itself. */
function createTool(name: string, { call, describe }: ToolFunctions): LanguageModelTool<unknown> {
  return {
    prepareInvocation: () => {
      const invocationMessage = describe(name);
      return invocationMessage === undefined ? {} : { invocationMessage };
    },
    invoke: async ({ input }, token) => {
      const text = await call({ name, input, signal: toSignal(token) });
      return new LanguageModelToolResult([new LanguageModelTextPart(text)]);
    },
  };
}

function toSignal(token: CancellationToken): AbortSignal {
  const controller = new AbortController();
  token.onCancellationRequested(() => controller.abort());
  if (token.isCancellationRequested) controller.abort();
  return controller.signal;
}
