import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createToolContributions, createToolSetContributions } from '../../../scripts/manifest/agentTools.ts';
import { agentTools } from '../../../src/core/agents/callAgentTool.ts';

interface Manifest {
  readonly contributes: { readonly languageModelTools: readonly object[]; readonly languageModelToolSets: unknown };
}

const root = join(import.meta.dirname, '..', '..', '..');

describe('The tools for agents in package.json', () => {
  const { contributes } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;

  it('are those of the core, so that the editor and the MCP server offer the same (otherwise run "npm run manifest")', () => {
    assert.deepEqual(contributes.languageModelTools, createToolContributions());
    assert.deepEqual(contributes.languageModelToolSets, createToolSetContributions());
    assert.equal(contributes.languageModelTools.length, 9);
  });

  it('have names that the editor accepts, and one title each', () => {
    for (const { name, toolReferenceName, displayName } of createToolContributions()) {
      assert.match(name, /^(?!copilot_|vscode_)[\w-]+$/);
      assert.match(toolReferenceName, /^[\w-]+$/);
      assert.ok(displayName.startsWith('%tool.'));
    }
    const names = createToolContributions().map(({ name }) => name);
    assert.equal(new Set(names).size, agentTools.length);
  });

  it('take at most 2,500 tokens of each request of an agent', () => {
    const sent = createToolContributions().map(({ name, modelDescription, inputSchema }) => ({
      name,
      modelDescription,
      inputSchema,
    }));
    const tokens = Math.ceil(JSON.stringify(sent).length / 4);
    console.log(`tools in the manifest: ${tokens} tokens`);
    assert.ok(tokens <= 2_500, `${tokens} tokens`);
  });
});
