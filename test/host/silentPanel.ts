import { EventEmitter, type Uri, type WebviewPanel } from 'vscode';

/** A webview panel whose page is the test: it stores the messages to the page, and receives those that the test sends. */
export class SilentPanel<Posted, Sent> {
  title = '';
  isClosed = false;
  readonly active = false;
  readonly posted: Posted[] = [];
  private readonly received = new EventEmitter<Sent>();
  private readonly disposed = new EventEmitter<void>();
  readonly webview = {
    cspSource: 'test:',
    html: '',
    options: {},
    onDidReceiveMessage: this.received.event,
    asWebviewUri: (uri: Uri): Uri => uri,
    postMessage: async (message: Posted): Promise<boolean> => this.posted.push(message) > 0,
  };
  readonly onDidDispose = this.disposed.event;
  readonly onDidChangeViewState = new EventEmitter<void>().event;

  /** This panel as the type that the editor passes. */
  get panel(): WebviewPanel {
    return this as unknown as WebviewPanel;
  }

  /** Sends a message as the page would. */
  send(message: Sent): void {
    this.received.fire(message);
  }

  /** Closes the panel as the user would. */
  close(): void {
    this.disposed.fire();
  }

  reveal(): void {}

  dispose(): void {
    this.isClosed = true;
  }
}
