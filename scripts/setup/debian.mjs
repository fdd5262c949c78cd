/** Installs Debian packages if the process runs as root, so that no password is needed. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './steps.mjs';

/** Returns true if this process may install Debian packages, that is, if it runs as root on Debian. */
export function isDebianRoot() {
  return process.getuid?.() === 0 && isDebian();
}

export function isDebian() {
  if (process.platform !== 'linux' || !existsSync('/etc/os-release')) return false;
  return /^ID="?debian"?$/m.test(readFileSync('/etc/os-release', 'utf8')) && existsSync('/usr/bin/apt-get');
}

/**
 * Installs packages without starting the services that belong to them. Rejects with a StepError if the installation
 * fails.
 */
export async function installFromDebian(...names) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  await run('apt-get', ['update'], { env });
  await run('apt-get', ['install', '-y', ...names], { env });
}

function findArchive() {
  const folder = '/etc/apt/sources.list.d';
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /\.(list|sources)$/.test(name)) : [];
  const files = ['/etc/apt/sources.list', ...names.map((name) => join(folder, name))].filter(existsSync);
  const text = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  return /^(?:URIs:|deb(?:\s+\[.*?\])?)\s+(\S+\/debian)\/?(?:\s|$)/m.exec(text)?.[1];
}

/** Returns packages and those with libraries that they need on a system that has none. */
async function listWithLibraries(names, options, folder) {
  const status = join(folder, 'status');
  writeFileSync(status, '');
  const install = ['--print-uris', '--yes', '--no-install-recommends', 'install', ...names];
  const printed = await run('apt-get', [...options, `-oDir::State::status=${status}`, ...install]);
  const found = [...printed.matchAll(/^'\S+' ([^_\s]+)_/gm)].map(([, name]) => name);
  return found.filter((name) => names.includes(name) || /^(?:lib|slurm|zlib)/.test(name));
}

/**
 * Unpacks packages of another suite into `folder/root`, without installing them: apt works with lists and a cache of
 * its own in `folder`. With `withLibraries`, also unpacks the libraries that they need, down to that of C. Rejects with
 * a StepError if a package can't be fetched.
 */
export async function unpackFromSuite(names, suite, folder, { withLibraries = false } = {}) {
  const source = join(folder, 'suite.list');
  const keys = '/usr/share/keyrings/debian-archive-keyring.gpg';
  writeFileSync(source, `deb [signed-by=${keys}] ${findArchive()} ${suite} main\n`);
  for (const path of ['lists/partial', 'cache/archives/partial']) mkdirSync(join(folder, path), { recursive: true });
  const places = { 'Dir::Etc::sourcelist': source, 'Dir::Etc::sourceparts': '-', 'APT::Sandbox::User': 'root' };
  const patience = { 'Acquire::Retries': '0', 'Acquire::http::Timeout': '10', 'Acquire::https::Timeout': '10' };
  const more = { 'Dir::State::lists': join(folder, 'lists'), 'Dir::Cache': join(folder, 'cache') };
  const options = Object.entries({ ...places, ...patience, ...more }).map(([option, value]) => `-o${option}=${value}`);
  await run('apt-get', [...options, 'update']);
  const all = withLibraries ? await listWithLibraries(names, options, folder) : names;
  await run('apt-get', [...options, 'download', ...all], { cwd: folder });
  for (const file of readdirSync(folder).filter((entry) => entry.endsWith('.deb')))
    await run('dpkg-deb', ['--extract', join(folder, file), join(folder, 'root')]);
}
