import { randomUUID } from 'node:crypto';
import { commands, Uri, window, workspace } from 'vscode';
import { Lifetime, type Disposable } from '../../core/util/lifetime.ts';

const scheme = 'data-transfer';

/** The kinds of results. The folder in a result's URI names its kind, to which `when` clauses in the manifest refer. */
type ResultKind = 'match' | 'verification';

/** A result that a command can use again after its notification was closed. */
interface Result {
  readonly kind: ResultKind;
  readonly file: string;
  /** Distinguishes documents with the same file name. */
  readonly identity: string;
  /** Saves or repeats what the result is about. */
  run(): Promise<void>;
}

/** Shows text in read-only documents, which can be closed without a prompt to save. */
export class Documents implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly texts = new Map<string, string>();
  private readonly results = new Map<string, Result>();
  /** The newest result of each kind, even if it isn't open. */
  private readonly newest = new Map<ResultKind, Result>();

  constructor() {
    const provideTextDocumentContent = (uri: Uri): string => this.texts.get(uri.toString()) ?? '';
    this.lifetime.track(workspace.registerTextDocumentContentProvider(scheme, { provideTextDocumentContent }));
    this.lifetime.track(workspace.onDidCloseTextDocument(({ uri }) => this.forget(uri.toString())));
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
    await open(this.addText(file, identity, text));
  }

  /** Opens a result in a preview tab. Without a text, only stores the result as the newest one of its kind. */
  async showResult(result: Result, text?: string): Promise<void> {
    const { kind, file, identity } = result;
    this.newest.set(kind, result);
    if (text === undefined) return;
    const uri = this.addText(file, identity, text, kind);
    this.results.set(uri.toString(), result);
    await open(uri);
  }

  /** Returns the result in a tab or, without `uri`, the newest one of a kind. */
  getResult(kind: ResultKind, uri: Uri | undefined): Result | undefined {
    return uri ? this.results.get(uri.toString()) : this.newest.get(kind);
  }

  private forget(uri: string): void {
    this.texts.delete(uri);
    this.results.delete(uri);
  }

  private addText(file: string, identity: string, text: string, kind = ''): Uri {
    const path = ['', ...(kind === '' ? [] : [kind]), file.replaceAll('/', '_')].join('/');
    const uri = Uri.from({ scheme, path, query: identity });
    this.texts.set(uri.toString(), text);
    return uri;
  }
}

async function open(uri: Uri): Promise<void> {
  await window.showTextDocument(await workspace.openTextDocument(uri), { preview: true });
}
