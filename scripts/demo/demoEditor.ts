import { join } from 'node:path';
import type { EditorOptions } from '../../test/support/editor/preparedEditor.ts';
import { repositoryRoot } from '../../test/support/editor/places.ts';

const keyVariable = 'DATA_TRANSFER_DEMO_KEY';

/** Describes a running local service, and the folder that the editor opens. */
export interface DemoService {
  readonly address: string;
  readonly token: string;
  readonly workspace: string;
}

/**
 * Returns the options of an editor that opens connected to the demo's service, with the view and the walkthrough. The
 * key is in an environment variable, because a browser keeps a stored one only until the window is reloaded.
 */
export function getDemoEditor({ address, token, workspace }: DemoService): EditorOptions {
  const connection = { id: 'demo', name: 'Demo', server: address, apiKeyVariable: keyVariable };
  return {
    extensionPath: repositoryRoot,
    companions: [join(repositoryRoot, 'scripts', 'demo', 'firstLook')],
    workspace,
    machineSettings: { 'dataTransfer.connections': [connection], 'dataTransfer.orcid': '0000-0002-1825-0097' },
    environment: { [keyVariable]: token },
  };
}
