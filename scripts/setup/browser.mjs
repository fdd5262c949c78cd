/**
 * Provides Chromium or Chrome for the tests: finds an existing browser, or installs Chromium. On Debian, also provides
 * Chromium's headless shell, which needs a third less processor time for an editor's window.
 */
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installFromDebian, isDebianRoot } from './debian.mjs';
import { StepError, explain, root, run, say, step, toolNode } from './steps.mjs';

const shellName = 'chromium-headless-shell';
const linuxNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const linuxFolders = ['/usr/bin', '/usr/local/bin', '/opt/google/chrome', '/snap/bin', '/usr/lib/chromium'];

const macPrograms = ['Google Chrome.app/Contents/MacOS/Google Chrome', 'Chromium.app/Contents/MacOS/Chromium'];
const windowsPrograms = ['Google\\Chrome\\Application\\chrome.exe', 'Chromium\\Application\\chrome.exe'];

function usualPlaces() {
  const { env, platform } = process;
  if (platform === 'win32') {
    const folders = [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA].filter(Boolean);
    return folders.flatMap((folder) => windowsPrograms.map((program) => join(folder, program)));
  }
  if (platform === 'darwin') {
    const folders = ['/Applications', join(env.HOME ?? '/', 'Applications')];
    return folders.flatMap((folder) => macPrograms.map((program) => join(folder, program)));
  }
  const folders = [...new Set([...(env.PATH ?? '').split(delimiter), ...linuxFolders])].filter(Boolean);
  return linuxNames.flatMap((name) => folders.map((folder) => join(folder, name)));
}

function canRun(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function findHeadlessShell() {
  if (process.platform !== 'linux') return undefined;
  return linuxFolders.map((folder) => join(folder, shellName)).find(canRun);
}

/**
 * Returns the path of a browser on this machine: the one named by `CHROME_PATH`, or one in a standard location. Throws
 * a StepError if `CHROME_PATH` names a file that can't be run.
 */
function findSystemBrowser() {
  const named = process.env.CHROME_PATH;
  if (!named) return usualPlaces().find(canRun);
  if (!canRun(named)) throw new StepError(`CHROME_PATH is ${named}, which can't be run: correct or unset it.`);
  return named;
}

async function playwrightBrowser() {
  const code = "import('playwright-core').then((p) => process.stdout.write(p.chromium.executablePath()))";
  const { execFileSync } = await import('node:child_process');
  return execFileSync(toolNode, ['-e', code], { cwd: root, encoding: 'utf8' });
}

async function installFromPlaywright() {
  const program = join(root, 'node_modules', 'playwright-core', 'cli.js');
  const needsLibraries = process.platform === 'linux' && process.getuid?.() === 0;
  const args = [program, 'install', ...(needsLibraries ? ['--with-deps'] : []), 'chromium'];
  await run(toolNode, args, { label: 'playwright-core install' });
  return playwrightBrowser();
}

function installDebianBrowser() {
  return installFromDebian('chromium', shellName).catch(() => installFromDebian('chromium'));
}

/** Resolves to the path of a browser; installs Chromium if none is found. */
export async function ensureBrowser() {
  const found = findSystemBrowser();
  if (found) return found;
  const earlier = await playwrightBrowser();
  if (existsSync(earlier)) return earlier;
  if (isDebianRoot()) {
    const installed = await step('Browser (apt-get install chromium)', () =>
      installDebianBrowser().then(findSystemBrowser, () => undefined),
    );
    if (installed) return installed;
  }
  return step('Browser (playwright-core install chromium)', () =>
    installFromPlaywright().catch((error) => {
      const reason = explain(error, 'A browser').message;
      throw new StepError(`${reason} Or install Chrome or Chromium, or set CHROME_PATH to the path of one.`);
    }),
  );
}

/**
 * Resolves to the path of a headless shell. Resolves to `browser` if there is no headless shell, or if `CHROME_PATH`
 * selects the browser. As root on Debian, installs a missing shell, unless `recorded` shows that an earlier setup has
 * already tried to install one.
 */
export async function ensureHeadlessShell(browser, recorded) {
  if (process.env.CHROME_PATH) return browser;
  const canInstall = recorded === undefined && isDebianRoot() && !findHeadlessShell();
  const install = () => installFromDebian(shellName).catch(() => undefined);
  if (canInstall) await step(`Headless shell (apt-get install ${shellName})`, install);
  const shell = findHeadlessShell();
  if (!shell) say(`${shellName} isn't available. The tests in the editor use ${browser} and take longer.`);
  return shell ?? browser;
}
