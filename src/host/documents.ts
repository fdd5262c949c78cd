import { Uri, window, workspace } from 'vscode';
import { Lifetime, type Disposable } from '../core/util/lifetime.ts';

const scheme = 'data-transfer';

/** Shows text as documents that can be read, searched and saved elsewhere, and that ask nothing when they are closed. */
export class Documents implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly texts = new Map<string, string>();

  constructor() {
    const provideTextDocumentContent = (uri: Uri): string => this.texts.get(uri.toString()) ?? '';
    this.lifetime.track(workspace.registerTextDocumentContentProvider(scheme, { provideTextDocumentContent }));
    this.lifetime.track(workspace.onDidCloseTextDocument(({ uri }) => this.texts.delete(uri.toString())));
  }

  /** Opens a value in a preview tab of this name; `identity` tells documents of the same name apart. */
  async showJson(name: string, identity: string, value: unknown): Promise<void> {
    await this.show(`${name}.json`, identity, `${JSON.stringify(value, undefined, 2)}\n`);
  }

  /** As {@link showJson}, with a text that is shown as it is. */
  async showText(name: string, identity: string, text: string): Promise<void> {
    await this.show(`${name}.txt`, identity, text);
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private async show(file: string, identity: string, text: string): Promise<void> {
    const uri = Uri.from({ scheme, path: `/${file.replaceAll('/', '_')}`, query: identity });
    this.texts.set(uri.toString(), text);
    await window.showTextDocument(await workspace.openTextDocument(uri), { preview: true });
  }
}
