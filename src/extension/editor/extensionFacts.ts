/** Facts about the extension, as declared in its manifest. */
export interface ExtensionFacts {
  /** `publisher.name`. */
  readonly id: string;
  readonly version: string;
  /** IDs of the extension's settings. */
  readonly settingIds: readonly string[];
}

interface Manifest {
  readonly publisher: string;
  readonly name: string;
  readonly version: string;
  readonly contributes: { readonly configuration: { readonly properties: object } };
}

/** Reads the facts from the manifest that the editor provides. */
export function readExtensionFacts(manifest: unknown): ExtensionFacts {
  const { publisher, name, version, contributes } = manifest as Manifest;
  return { id: `${publisher}.${name}`, version, settingIds: Object.keys(contributes.configuration.properties) };
}
