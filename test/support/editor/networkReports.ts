import type { Page } from 'playwright-core';

/** The internal objects of Playwright that lead from a page to its connection to the browser. */
interface InternalPage {
  readonly _connection: { readonly toImpl: (page: Page) => { readonly delegate: InternalDelegate } };
}

interface InternalDelegate {
  readonly _mainFrameSession: { readonly _client: { readonly send: (method: string) => Promise<unknown> } };
}

/**
 * Stops the browser from reporting the network traffic of a page to Playwright, which has no option for it. The reports
 * repeat each message between the window and the editor's server, and would take an eighth of the host ring's CPU time.
 */
export async function stopNetworkReports(page: Page): Promise<void> {
  const { _connection: connection } = page as unknown as InternalPage;
  await connection.toImpl(page).delegate._mainFrameSession._client.send('Network.disable');
}
