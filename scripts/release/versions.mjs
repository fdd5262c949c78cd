/** Updates the version in documents and source files for a release. */

/**
 * The documents and screenshot scenes that contain the version in a package's file name or in an example response.
 * Paths are relative to the root of the repository.
 */
export const documentFiles = ['README.md', 'docs/command-line.md', 'docs/service.md', 'scripts/screenshots/scenes.txt'];

/** The source files that define the version reported by a built program, relative to the root of the repository. */
export const sourceFiles = ['src/cli/version.ts', 'src/service/version.ts'];

/**
 * Returns the text of a document with `version` in place of other versions. Replaces the versions in the file names of
 * the VSIX and the command-line package, and in the `version` field of JSON examples.
 */
export function replaceDocumentVersions(text, version) {
  return text
    .replaceAll(/\b(data-transfer-(?:explorer|cli)-)\d+\.\d+\.\d+(\.(?:vsix|tgz))\b/g, `$1${version}$2`)
    .replaceAll(/("version": ?")\d+\.\d+\.\d+(")/g, `$1${version}$2`);
}

/** Returns the text of a source file with its `…Version` constants set to `version`. */
export function replaceVersionConstants(text, version) {
  return text.replaceAll(/^(export const \w+Version = ')\d+\.\d+\.\d+(';)$/gm, `$1${version}$2`);
}
