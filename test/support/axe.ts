import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Frame, Page } from 'playwright-core';

/** What axe says of a page: how many of its rules hold, where others are broken, and what a person has to judge. */
export interface AxeCounts {
  readonly passed: number;
  readonly broken: readonly string[];
  readonly incomplete: readonly string[];
}

const program = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Looks at a page with all of axe's rules, and prints the counts under a name. */
export async function lookWithAxe(page: Page | Frame, name: string): Promise<AxeCounts> {
  await page.evaluate(program);
  const { passes, violations, incomplete } = await page.evaluate<AxeResults>('axe.run(document)');
  const places = (results: AxeResults['violations']): string[] =>
    results.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  const counts = { passed: passes.length, broken: places(violations), incomplete: places(incomplete) };
  console.log(
    `axe: ${name}: ${counts.passed} rules passed, ${violations.length} violations, ${incomplete.length} incomplete`,
  );
  return counts;
}
