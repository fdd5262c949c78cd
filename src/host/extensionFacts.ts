/** What the extension is, as its manifest says. */
export interface ExtensionFacts {
  readonly version: string;
  /** Ids of the settings. */
  readonly settingIds: readonly string[];
}

interface Manifest {
  readonly version: string;
  readonly contributes: { readonly configuration: { readonly properties: object } };
}

/** Reads them out of the manifest, as the editor gives it. */
export function extensionFacts(manifest: unknown): ExtensionFacts {
  const { version, contributes } = manifest as Manifest;
  return { version, settingIds: Object.keys(contributes.configuration.properties) };
}
