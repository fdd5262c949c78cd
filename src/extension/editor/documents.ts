import { Uri, window, workspace } from 'vscode';
import { Lifetime, type Disposable } from '../../core/util/lifetime.ts';

const scheme = 'data-transfer';

/** Shows text in read-only documents, which can be closed without a prompt to save. */
export class Documents implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly texts = new Map<string, string>();

  constructor() {
    const provideTextDocumentContent = (uri: Uri): string => this.texts.get(uri.toString()) ?? '';
    this.lifetime.track(workspace.registerTextDocumentContentProvider(scheme, { provideTextDocumentContent }));
    this.lifetime.track(workspace.onDidCloseTextDocument(({ uri }) => this.texts.delete(uri.toString())));
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  /** Opens text in a preview tab. `identity` distinguishes documents with the same file name. */
  async show(file: string, identity: string, text: string): Promise<void> {
    const uri = Uri.from({ scheme, path: `/${file.replaceAll('/', '_')}`, query: identity });
    this.texts.set(uri.toString(), text);
    await window.showTextDocument(await workspace.openTextDocument(uri), { preview: true });
  }
}
