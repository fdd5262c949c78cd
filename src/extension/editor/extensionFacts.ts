/** Describes the extension as declared in its manifest. */
export interface ExtensionFacts {
  readonly version: string;
  /** IDs of the extension's settings. */
  readonly settingIds: readonly string[];
}

interface Manifest {
  readonly version: string;
  readonly contributes: { readonly configuration: { readonly properties: object } };
}

/** Reads the facts from the manifest provided by the editor. */
export function readExtensionFacts(manifest: unknown): ExtensionFacts {
  const { version, contributes } = manifest as Manifest;
  return { version, settingIds: Object.keys(contributes.configuration.properties) };
}
