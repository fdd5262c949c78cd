import { Uri, window, workspace } from 'vscode';
import { Lifetime, type Disposable } from '../core/util/lifetime.ts';

const scheme = 'data-transfer-json';

/** Shows JSON as documents that can be read, searched and saved elsewhere, and that ask nothing when they are closed. */
export class JsonDocuments implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly texts = new Map<string, string>();

  constructor() {
    const provideTextDocumentContent = (uri: Uri): string => this.texts.get(uri.toString()) ?? '';
    this.lifetime.track(workspace.registerTextDocumentContentProvider(scheme, { provideTextDocumentContent }));
    this.lifetime.track(workspace.onDidCloseTextDocument(({ uri }) => this.texts.delete(uri.toString())));
  }

  /** Opens a value in a preview tab of this name; `identity` tells documents of the same name apart. */
  async show(name: string, identity: string, value: unknown): Promise<void> {
    const uri = Uri.from({ scheme, path: `/${name.replaceAll('/', '_')}.json`, query: identity });
    this.texts.set(uri.toString(), `${JSON.stringify(value, undefined, 2)}\n`);
    await window.showTextDocument(await workspace.openTextDocument(uri), { preview: true });
  }

  dispose(): void {
    this.lifetime.dispose();
  }
}
