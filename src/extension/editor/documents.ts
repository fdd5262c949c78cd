import { randomUUID } from 'node:crypto';
import { commands, Uri, window, workspace } from 'vscode';
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

  /** Shows two strings in the diff editor, under the same file name. */
  async compare(
    title: string,
    file: string,
    texts: { readonly before: string; readonly after: string },
  ): Promise<void> {
    const before = this.addText(file, randomUUID(), texts.before);
    const after = this.addText(file, randomUUID(), texts.after);
    await commands.executeCommand('vscode.diff', before, after, title);
  }

  /** Opens text in a preview tab. `identity` distinguishes documents with the same file name. */
  async show(file: string, identity: string, text: string): Promise<void> {
    const uri = this.addText(file, identity, text);
    await window.showTextDocument(await workspace.openTextDocument(uri), { preview: true });
  }

  private addText(file: string, identity: string, text: string): Uri {
    const uri = Uri.from({ scheme, path: `/${file.replaceAll('/', '_')}`, query: identity });
    this.texts.set(uri.toString(), text);
    return uri;
  }
}
