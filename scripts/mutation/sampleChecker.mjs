/** A Stryker checker that selects a random sample of the changes by reporting all others as compile errors. */
import { CheckStatus } from '@stryker-mutator/api/check';
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import { createHash } from 'node:crypto';

class SampleChecker {
  static inject = tokens(commonTokens.options);

  constructor({ sample, seed }) {
    this.sample = sample;
    this.seed = seed;
  }

  async init() {}

  /** Puts all changes into one group, so that the sample has exactly the requested size. */
  async group(mutants) {
    return [mutants.map(({ id }) => id)];
  }

  /** Ranks the changes by hash, so that a seed always selects the same sample if the files don't change. */
  async check(mutants) {
    const rank = ({ id }) => createHash('sha256').update(`${this.seed}:${id}`).digest('hex');
    const ranked = mutants.map((mutant) => [rank(mutant), mutant.id]).sort();
    const other = { status: CheckStatus.CompileError, reason: 'not in the sample' };
    return Object.fromEntries(
      ranked.map(([, id], place) => [id, place < this.sample ? { status: CheckStatus.Passed } : other]),
    );
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.Checker, 'sample', SampleChecker)];
