import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../support/editor/places.ts';
import { TestAgent } from '../support/mcpRig.ts';
import { CliRig } from './cliRig.ts';

const document = readFileSync(join(repositoryRoot, 'docs', 'agents.md'), 'utf8');
const conversations = [...document.matchAll(/^(.+):\n\n```text\n(→[^`]+)```$/gm)].map(([, title = '', text = '']) => {
  return { title, steps: [...text.matchAll(/^→ (\w+) (.+)\n← (.+)$/gm)] };
});

describe('The conversations of docs/agents.md', () => {
  let rig: CliRig;
  let agent: TestAgent | undefined;

  beforeEach(async () => {
    rig = await CliRig.start({ 'a.csv': 'a', 'b/c.txt': 'hello', 'd.csv': 'dd' });
  });
  afterEach(async () => {
    await agent?.close();
    await rig.stop();
  });

  it('are three, each with at least four calls', () => {
    assert.deepEqual(
      conversations.map(({ steps }) => steps.length >= 4),
      [true, true, true],
    );
  });

  for (const { title, steps } of conversations) {
    it(`runs as documented: ${title}`, async () => {
      const { address, token } = rig.service.service;
      const options = ['--server', address, '--orcid', '0000-0002-1825-0097', '--key-variable', 'THE_KEY'];
      const action = title.includes('declines') ? 'decline' : 'accept';
      const isTrusted = !title.includes('may not ask');
      agent = await TestAgent.start({
        args: isTrusted ? [...options, '--trust-elicitation'] : options,
        environment: { THE_KEY: token, DATA_TRANSFER_LEDGER: rig.ledger },
        onElicit: () => ({ action }),
      });
      const names = new Map<string, string>();
      for (const [, tool = '', input = '', expected = ''] of steps) {
        const given = input.replace(/PLAN|TRANSFER/g, (name) => names.get(name) ?? name);
        const { content } = await agent.call(tool, JSON.parse(given) as Record<string, unknown>);
        if (typeof content['planId'] === 'string') names.set('PLAN', content['planId']);
        if (typeof content['transferId'] === 'string') names.set('TRANSFER', content['transferId']);
        const required = expected.replace(/PLAN|TRANSFER/g, (name) => names.get(name) ?? name);
        assert.partialDeepStrictEqual(content, JSON.parse(required) as Record<string, unknown>, `${tool} ${given}`);
      }
    });
  }
});
