/**
 * A Stryker test runner for Mocha. Reports which tests cover each change, and whether any of them detects the change.
 */
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import {
  determineHitLimitReached,
  DryRunStatus,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import Mocha from 'mocha';

const timeoutMs = 60_000;

function exactly(titles) {
  return new RegExp(`^(?:${titles.map((title) => RegExp.escape(title)).join('|')})$`);
}

class MochaRunner {
  static inject = tokens(commonTokens.options);

  constructor({ tests }) {
    this.files = tests.flatMap((pattern) => globSync(pattern).sort());
    // Instrumented code uses this global by default.
    this.instrumented = globalThis.__stryker__ ??= {};
  }

  capabilities() {
    return { reloadEnvironment: false };
  }

  async init() {
    const results = (this.results = []);
    const report = (test, more) =>
      results.push({ id: test.fullTitle(), name: test.fullTitle(), timeSpentMs: test.duration ?? 0, ...more });
    this.mocha = new Mocha({
      timeout: timeoutMs,
      reporter: function (runner) {
        runner.on('pass', (test) => report(test, { status: TestStatus.Success }));
        runner.on('fail', (test, error) => report(test, { status: TestStatus.Failed, failureMessage: String(error) }));
      },
    });
    this.mocha.cleanReferencesAfterRun(false);
    for (const file of this.files) this.mocha.addFile(resolve(file));
  }

  async dryRun({ coverageAnalysis, disableBail }) {
    const { instrumented } = this;
    let isDry = true;
    if (coverageAnalysis === 'perTest')
      this.mocha.suite.beforeEach(function () {
        if (isDry) instrumented.currentTestId = this.currentTest?.fullTitle();
      });
    const result = await this.run({ disableBail });
    isDry = false;
    return { ...result, mutantCoverage: instrumented.mutantCoverage };
  }

  async mutantRun({ activeMutant, testFilter, disableBail, hitLimit, mutantActivation }) {
    this.instrumented.hitLimit = hitLimit;
    this.instrumented.hitCount = hitLimit ? 0 : undefined;
    this.mocha.grep(testFilter ? exactly(testFilter) : /(?:)/);
    return toMutantRunResult(
      await this.run({ disableBail, id: activeMutant.id, isStatic: mutantActivation === 'static' }),
    );
  }

  async run({ disableBail, id, isStatic }) {
    const { instrumented, mocha } = this;
    mocha.suite.bail(!disableBail);
    if (!this.isLoaded) {
      instrumented.activeMutant = isStatic ? id : undefined;
      await mocha.loadFilesAsync();
      this.isLoaded = true;
    }
    instrumented.activeMutant = id;
    this.results.length = 0;
    await new Promise((resolveRun) => mocha.run(resolveRun));
    const tests = [...this.results];
    return (
      determineHitLimitReached(instrumented.hitCount, instrumented.hitLimit) ?? { status: DryRunStatus.Complete, tests }
    );
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'mocha-files', MochaRunner)];
