import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, glob, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** The folders of the demo's source databases. */
export interface DemoSources {
  readonly vega: string;
  readonly atlas: string;
}

/** A database of the demo, as in the configuration of the local service. */
interface DemoDatabase {
  readonly name: string;
  readonly folder: string;
  readonly organization: string;
  readonly readOnly?: boolean;
}

interface Package {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly author?: { readonly name: string; readonly url: string };
  readonly repository: { readonly url: string };
}

interface Resource {
  readonly path: string;
  readonly [field: string]: unknown;
}

/** Increased to leave behind the folders of earlier versions, to which transfers were possible in version 1. */
const layout = 2;

/**
 * Creates the demo databases from files in npm packages, unless an earlier run has already created them. Resolves to
 * the databases' folders.
 */
export async function prepareSources(demoFolder: string, modules: string): Promise<DemoSources> {
  const packages = ['vega-datasets', 'world-atlas', 'us-atlas'] as const;
  const versions = await Promise.all(packages.map(async (name) => (await readPackage(join(modules, name))).version));
  const folder = join(demoFolder, `data-${layout}-${versions.join('-')}`);
  if (!existsSync(folder)) await createAtomically(demoFolder, folder, (fresh) => fill(fresh, modules));
  return { vega: join(folder, 'vega'), atlas: join(folder, 'atlas') };
}

/**
 * Returns the databases of the demo. Transfers can go only to `destinationFolder`, which is removed after the demo,
 * because the sources are kept for the next one.
 */
export function listDemoDatabases({ vega, atlas }: DemoSources, destinationFolder: string): readonly DemoDatabase[] {
  return [
    { name: 'Vega Datasets', folder: vega, organization: 'Vega', readOnly: true },
    { name: 'World and US Atlas', folder: atlas, organization: 'TopoJSON', readOnly: true },
    { name: 'My Data', folder: destinationFolder, organization: 'This machine' },
  ];
}

/**
 * Fills a temporary folder and renames it to `folder`. If a concurrent run creates `folder` first, keeps that folder
 * instead.
 */
async function createAtomically(parent: string, folder: string, make: (fresh: string) => Promise<void>): Promise<void> {
  await mkdir(parent, { recursive: true });
  const fresh = await mkdtemp(`${folder}.`);
  try {
    await make(fresh);
    await rename(fresh, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

async function fill(folder: string, modules: string): Promise<void> {
  await fillVega(join(folder, 'vega'), join(modules, 'vega-datasets'));
  await fillAtlas(join(folder, 'atlas'), [join(modules, 'world-atlas'), join(modules, 'us-atlas')]);
}

/**
 * Copies the package's files and its description. Corrects the description's paths and hashes, which refer to the files
 * in the package's git repository.
 */
async function fillVega(folder: string, source: string): Promise<void> {
  await mkdir(folder);
  const description = JSON.parse(await readFile(join(source, 'datapackage.json'), 'utf8')) as { resources: Resource[] };
  const present = description.resources.filter(({ path }) => existsSync(join(source, 'data', path)));
  const resources = await Promise.all(
    present.map(async (resource) => ({
      ...resource,
      ...(await copyWithHash(join(source, 'data'), folder, resource.path)),
    })),
  );
  await writeDescription(folder, { ...description, resources });
}

async function fillAtlas(folder: string, sources: readonly string[]): Promise<void> {
  await mkdir(folder);
  const resources = (await Promise.all(sources.map((source) => copyAtlas(folder, source)))).flat();
  await writeDescription(folder, {
    name: 'world-and-us-atlas',
    title: 'World and US Atlas',
    description:
      'Shapes of the countries of the world, and of the states and counties of the United States, as TopoJSON.',
    licenses: [{ name: 'ISC', title: 'ISC License' }],
    resources,
  });
}

async function copyAtlas(folder: string, source: string): Promise<Resource[]> {
  const { name, description, license, repository, author } = await readPackage(source);
  const resources: Resource[] = [];
  for await (const path of glob('*-*.json', { cwd: source })) {
    resources.push({
      name: basename(path, '.json'),
      title: `${basename(path, '.json')} (${name})`,
      description,
      format: 'json',
      mediatype: 'application/json',
      licenses: [{ name: license }],
      sources: [{ title: name, path: repository.url.replace(/^git\+|\.git$/g, '') }],
      ...(author === undefined ? {} : { contributors: [{ title: author.name, path: author.url }] }),
      ...(await copyWithHash(source, folder, path)),
    });
  }
  return resources.sort((a, b) => a.path.localeCompare(b.path));
}

async function copyWithHash(
  from: string,
  to: string,
  path: string,
): Promise<{ path: string; hash: string; bytes: number }> {
  await mkdir(join(to, path, '..'), { recursive: true });
  await copyFile(join(from, path), join(to, path));
  const content = await readFile(join(to, path));
  return { path, hash: `sha256:${createHash('sha256').update(content).digest('hex')}`, bytes: content.length };
}

async function writeDescription(folder: string, description: object): Promise<void> {
  await writeFile(join(folder, 'datapackage.json'), JSON.stringify(description, undefined, 2));
}

async function readPackage(folder: string): Promise<Package> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Package;
}
