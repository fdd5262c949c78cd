import assert from 'node:assert/strict';
import type { TransferPlan } from '../../../src/core/agents/transferPlan.ts';
import { AgentQuestions } from '../../../src/cli/agents/serveAgents.ts';
import { describeDecided, formatPlanSummary } from '../../../src/cli/agents/planActions.ts';

const plan: TransferPlan = {
  id: 'aaaaaaaaaaaa',
  createdAt: 0,
  expiresAt: 1,
  requestedBy: 'test-agent',
  service: { connectionId: 'c', name: 'Test', address: 'http://localhost:1', orcid: 'me' },
  source: 'Alpha',
  destination: 'Beta',
  files: [{ id: 'f1', path: 'f1.csv', bytes: 5 }],
  textOrigin: 'agent',
  licenses: [{ fileCount: 1, forbidsSharing: false }],
  copies: { atDestination: 0, isComplete: true, received: 0, underWay: 0 },
};

describe('The state of a plan, in response to a decision', () => {
  it('is named as that of an earlier decision', () => {
    const made = { by: 'terminal', at: 1, transferKey: 'k' };
    assert.equal(describeDecided({ kind: 'proposed' }), undefined);
    assert.equal(describeDecided({ kind: 'expired' }), 'The plan has expired.');
    for (const kind of ['declined', 'confirmed', 'submitted'] as const)
      assert.equal(describeDecided({ kind, ...made }), `The plan was already ${kind}.`);
  });
});

describe('The confirmation prompt outside the editor', () => {
  it('lists the licenses that forbid redistribution, and counts those beyond the first ten', () => {
    const named = Array.from({ length: 30 }, (_, index) => {
      return { name: `Terms ${index}`, fileCount: 2, forbidsSharing: index % 2 === 0 };
    });
    const lines = formatPlanSummary({ ...plan, licenses: named }).split('\n');
    assert.deepEqual(
      lines.filter((line) => line.includes('icense')),
      [
        ...named.slice(0, 10).map(({ name, forbidsSharing }) => {
          return `License ${name}: 2 files${forbidsSharing ? '. It forbids redistribution' : ''}.`;
        }),
        'And 20 other licenses, of which 10 forbid redistribution.',
      ],
    );
    const rest = formatPlanSummary({ ...plan, licenses: named.slice(0, 12) });
    assert.match(rest, /^And 2 other licenses, of which 1 forbids redistribution\.$/m);
    assert.match(formatPlanSummary(plan), /^License not stated: 1 file\.$/m);
  });

  it('states what the listing of a whole folder leaves out, or of all files if that is anything', () => {
    const summarize = (more: Partial<TransferPlan>): string | undefined =>
      /^.*left out.*$/m.exec(formatPlanSummary({ ...plan, ...more }))?.[0];
    assert.equal(summarize({ folder: 'exp.zarr', leftOut: {} }), 'exp.zarr: nothing left out.');
    assert.equal(summarize({ leftOut: { hidden: 2 } }), 'Alpha: left out: hidden names (2).');
    assert.equal(summarize({ leftOut: {} }), undefined);
    assert.equal(summarize({}), undefined);
  });

  it('collapses runs of spaces, which could push text to what looks like a line of its own', () => {
    const padding = ' '.repeat(70);
    const description = `Atlas${padding}to\u3164\u1160\u2800Gamma\u00a0\u3000${padding}.`;
    const summary = formatPlanSummary({ ...plan, description, source: `Alpha${padding}from Delta` });
    assert.match(summary, /^Description: Atlas to Gamma \.$/m);
    assert.match(summary, /^from Alpha from Delta to Beta$/m);
    assert.match(summary, /^ {2}f1\.csv$/m);
  });

  it('shortens the recorded client name to one line', () => {
    const questions = new AgentQuestions(true);
    const call = {
      name: 'submit_transfer',
      input: {},
      canElicit: true,
      signal: new AbortController().signal,
      client: `evil\n\u202e${'x'.repeat(100_000)}`,
      getAnswer: () => 'confirmed' as const,
    };
    assert.equal(questions.answer({ kind: 'submit', plan }, call).decision.kind, 'waiting');
    const { decision } = questions.answer({ kind: 'submit', plan }, call);
    assert.match(decision.kind === 'yes' ? decision.by : '', /^elicitation of evil x{70,80}…$/);
  });
});
