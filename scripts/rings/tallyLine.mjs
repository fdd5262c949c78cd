/** What the tests that passed stood for, in one line: `contract rows 143, faults 97, properties 12 (1,000 runs each)`. */
const names = {
  'contract row': 'contract rows',
  fault: 'faults',
  property: 'properties',
  'accessible page': 'accessible pages',
};

function runsOf(tallies) {
  const runs = tallies.map((tally) => tally.runs);
  const [least, most] = [Math.min(...runs), Math.max(...runs)].map((count) => count.toLocaleString('en-US'));
  if (most === '1') return '';
  return least === most ? ` (${most} runs each)` : ` (${least} to ${most} runs each)`;
}

/** `tallies`: one `{ kind, runs }` for each test that was counted, as the reporter tells them. */
export function tallyLine(tallies) {
  const parts = Object.entries(names).map(([kind, name]) => {
    const ofKind = tallies.filter((tally) => tally.kind === kind);
    return `${name} ${ofKind.length}${ofKind.length > 0 ? runsOf(ofKind) : ''}`;
  });
  return parts.join(', ');
}
