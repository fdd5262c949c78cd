import assert from 'node:assert/strict';
import { join } from 'node:path';

const place = join(import.meta.dirname, '..', '..', '..', 'scripts', 'rings', 'tallyLine.mjs');

describe('The summary line of the tests', () => {
  it('counts the tests by kind, with the number of runs of each property', async () => {
    const { tallyLine } = (await import(place)) as { tallyLine: (tallies: readonly object[]) => string };
    const row = { kind: 'contract row', runs: 1 };
    const property = { kind: 'property', runs: 1_000 };
    assert.equal(
      tallyLine([row, row, property, property]),
      'contract rows 2, faults 0, properties 2 (1,000 runs each), accessible pages 0, journeys through all commands 0',
    );
    assert.equal(
      tallyLine([property, { kind: 'property', runs: 20 }]),
      'contract rows 0, faults 0, properties 2 (20 to 1,000 runs each), accessible pages 0, journeys through all commands 0',
    );
  });

  it('contains the axe results of pages, and the number of commands that ran', async () => {
    const { tallyLine } = (await import(place)) as { tallyLine: (tallies: readonly object[]) => string };
    const page = { kind: 'accessible page', runs: 20, incomplete: 1 };
    assert.match(
      tallyLine([page, { ...page, incomplete: 0 }, { kind: 'command', runs: 50 }]),
      /accessible pages 2 \(axe: 40 rules passed, 0 violations, 1 incomplete\), .+ commands 1 \(50 commands\)$/,
    );
  });

  it('lists the most actions of each task on a separate line, in a fixed order', async () => {
    const { tallyLine } = (await import(place)) as { tallyLine: (tallies: readonly object[]) => string };
    const byMouse = { kind: 'actions', runs: 1, actions: { cancel: 1, 'first search': 3 } };
    assert.match(
      tallyLine([byMouse, { ...byMouse, actions: { 'first search': 2, cancel: 2 } }]),
      /\nactions: first search 3, cancel 2$/,
    );
  });
});
