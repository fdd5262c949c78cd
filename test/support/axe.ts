import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Frame, Page } from 'playwright-core';

/** The results of axe for a page: the number of passed rules, the violations, and the inconclusive results. */
export interface AxeCounts {
  readonly passed: number;
  readonly broken: readonly string[];
  readonly incomplete: readonly string[];
}

const program = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Checks a page against axe's default rules. Returns the results and prints their counts under `name`. */
export async function runAxe(page: Page | Frame, name: string): Promise<AxeCounts> {
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
