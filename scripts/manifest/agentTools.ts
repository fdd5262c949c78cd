import { createInputSchema, type AgentTool } from '../../src/core/agents/agentTool.ts';
import { agentTools } from '../../src/core/agents/callAgentTool.ts';

/** An entry of `contributes.languageModelTools` in `package.json`. */
interface ToolContribution {
  readonly name: string;
  readonly displayName: string;
  /** The description for the language model. Not localized, because only the model reads it. */
  readonly modelDescription: string;
  readonly canBeReferencedInPrompt: true;
  readonly toolReferenceName: string;
  readonly icon: string;
  readonly inputSchema: object;
}

const icons: Readonly<Record<AgentTool['name'], string>> = {
  list_databases: 'database',
  search_files: 'search',
  describe_files: 'info',
  plan_transfer: 'checklist',
  submit_transfer: 'cloud-upload',
  transfer_status: 'graph-line',
  cancel_transfer: 'circle-slash',
  pause_transfer: 'debug-pause',
  resume_transfer: 'debug-continue',
};

/** Returns `contributes.languageModelTools`. Prefixes the tools' names to avoid collisions with other extensions. */
export function createToolContributions(): readonly ToolContribution[] {
  return agentTools.map((tool) => ({
    name: `data_transfer_${tool.name}`,
    displayName: `%tool.${tool.name}%`,
    modelDescription: tool.description,
    canBeReferencedInPrompt: true,
    toolReferenceName: `data_transfer_${tool.name}`,
    icon: `$(${icons[tool.name]})`,
    inputSchema: createInputSchema(tool),
  }));
}

/** Returns `contributes.languageModelToolSets`: one set that contains all tools. */
export function createToolSetContributions(): readonly object[] {
  const tools = createToolContributions().map(({ toolReferenceName }) => toolReferenceName);
  return [{ name: 'data_transfer', description: '%toolSet%', icon: '$(cloud-upload)', tools }];
}
