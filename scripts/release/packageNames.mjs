/** Updates the file names of the packages in the documents for a release. */

/** The documents whose commands name a package with its version, relative to the root of the repository. */
export const documentFiles = ['README.md', 'docs/command-line.md'];

/** Returns `text` with the file names of the VSIX and of the command line's package changed to those of `version`. */
export function replacePackageNames(text, version) {
  return text.replaceAll(/\b(data-transfer-(?:explorer|cli)-)\d+\.\d+\.\d+(\.(?:vsix|tgz))\b/g, `$1${version}$2`);
}
