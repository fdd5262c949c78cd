/** Reads the contents and imports of the built files from esbuild's metafiles, and minifies the files. */
import { readFileSync, readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** Minifies the scripts again, because swc's code compresses better than esbuild's alone: by a twenty-fifth. */
export async function minifyScripts(results, root) {
  const { minify } = await import('@swc/core');
  const files = results.flatMap(({ metafile }) => Object.keys(metafile.outputs));
  const work = files
    .filter((file) => /\.c?js$/.test(file))
    .map(async (file) => {
      const path = join(root, file);
      const text = await readFile(path, 'utf8');
      const { code } = await minify(text, {
        module: !file.endsWith('.cjs'),
        mangle: true,
        compress: { passes: 3 },
        format: { asciiOnly: true },
      });
      await writeFile(path, code);
    });
  await Promise.all(work);
}

/** Returns the given built files and all files that they load, directly or indirectly, as paths in the build folder. */
export function findLoadedFiles(metafiles, folder, files) {
  const outputs = Object.assign({}, ...metafiles.map((metafile) => metafile.outputs));
  const loaded = new Set(files.map((file) => join(folder, file)));
  for (const file of loaded) {
    const { imports } = outputs[file.replaceAll('\\', '/')];
    for (const { path, external } of imports) if (external !== true) loaded.add(join(path));
  }
  return [...loaded].map((file) => relative(folder, file).replaceAll('\\', '/')).sort();
}

/**
 * Returns the text of the third-party notices: the licenses of all packages whose code is in a bundle. Many licenses
 * require their text to be included.
 */
export function describeLicenses(metafiles, root) {
  const texts = new Map();
  for (const folder of listPackages(metafiles)) {
    const { title, text } = readLicense(join(root, folder));
    texts.set(text, [...(texts.get(text) ?? []), title]);
  }
  const sections = [...texts].map(([text, titles]) => `${'='.repeat(80)}\n${titles.join('\n')}\n\n${text}`);
  return `${['This software contains code from the following packages.', ...sections].join('\n\n')}\n`;
}

/** Returns a package's title and license texts. For alternative licenses (`OR`), reads only the main license file. */
function readLicense(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const wanted = license?.includes(' OR ') ? /^(licen[cs]e|notice|copying)(\.\w+)?$/i : /^(licen[cs]e|notice|copying)/i;
  const texts = readdirSync(folder)
    .filter((file) => wanted.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return { title: `${name} ${version} (${license ?? 'see below'})`, text: texts.join('\n\n') };
}

/** Returns the folders of the packages whose code is in a bundle. */
function listPackages(metafiles) {
  const inputs = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap((output) => Object.entries(output.inputs));
  const folders = inputs
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([input]) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]);
  return [...new Set(folders)].filter((folder) => folder !== undefined).sort();
}
