/** Runs the bundled suites in a downloaded desktop editor: `node scripts/rings/runDesktop.ts [pattern]`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTests } from '@vscode/test-electron';
import { dataHomeVariables } from '../../test/support/dataHome.ts';
import { repositoryRoot } from '../../test/support/editor/places.ts';

const [pattern] = process.argv.slice(2);
const dataHome = mkdtempSync(join(tmpdir(), 'desktop-data-home-'));
try {
  process.exitCode = await runTests({
    extensionDevelopmentPath: repositoryRoot,
    extensionTestsPath: join(repositoryRoot, 'dist', 'test', 'host.cjs'),
    extensionTestsEnv: {
      ...dataHomeVariables(dataHome),
      ...(pattern !== undefined && { DATA_TRANSFER_TEST_GREP: pattern }),
    },
    launchArgs: ['--disable-workspace-trust', '--disable-telemetry', '--skip-welcome', '--skip-release-notes'],
  });
} catch (error) {
  process.exitCode = 1;
  console.log(`The tests failed, or the desktop editor could not be downloaded or started (${String(error)}).`);
} finally {
  rmSync(dataHome, { recursive: true, force: true });
}
