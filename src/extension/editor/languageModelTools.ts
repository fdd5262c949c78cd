import {
  LanguageModelTextPart,
  LanguageModelToolResult,
  lm,
  type CancellationToken,
  type LanguageModelTool,
} from 'vscode';
import type { Disposable } from '../../core/util/lifetime.ts';

/** A call of a tool by an agent. */
export interface ToolCall {
  /** The name of the tool without the prefix of the manifest. */
  readonly name: string;
  /** The input as it arrived: the editor doesn't compare it with the schema. */
  readonly input: unknown;
  readonly signal: AbortSignal;
}

/** The functions behind the tools. */
interface ToolFunctions {
  /** Runs a tool. Resolves to its answer as JSON. */
  call(call: ToolCall): Promise<string>;
  /**
   * Returns the message that a chat shows while the tool runs; undefined for the editor's default. Doesn't run the
   * tool.
   */
  describe(name: string): string | undefined;
}

interface ToolManifest {
  readonly contributes: { readonly languageModelTools?: readonly { readonly name: string }[] };
}

/** The start of the names in the manifest, which all extensions share. */
const prefix = 'data_transfer_';

/** Registers the tools of the manifest. Registers none in an editor without language model tools. */
export function registerLanguageModelTools(manifest: unknown, functions: ToolFunctions): readonly Disposable[] {
  const models = lm as Partial<typeof lm> | undefined;
  if (typeof models?.registerTool !== 'function') return [];
  const { languageModelTools = [] } = (manifest as ToolManifest).contributes;
  return languageModelTools.map(({ name }) => lm.registerTool(name, createTool(name.slice(prefix.length), functions)));
}

/** Creates a tool without the editor's own confirmation, which settings can skip: the extension asks instead. */
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
