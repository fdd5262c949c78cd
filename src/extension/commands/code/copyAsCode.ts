import { l10n } from 'vscode';
import type { CodeRequest, CodeService } from '../../../core/code/codeRequest.ts';
import { listCodeLanguages, writeCode, type CodeLanguage } from '../../../core/code/writeCode.ts';
import { resolveDatabaseNames, type OpenConnection } from '../../../core/flows/openConnections.ts';
import { runSteps } from '../../editor/inputSteps.ts';
import { localConnectionId } from '../../editor/machine.ts';
import { pickOne, toStepResult, type Choice, type PickOptions, type Step } from '../../editor/quickInput.ts';
import { addressVariable, keyVariable } from '../connections/copyLocalAccess.ts';
import { getOrOpenConnection } from '../connections/connectionOpener.ts';
import type { CommandServices } from '../services.ts';
import { chooseShared, type SharedArgument } from '../sharedRow.ts';
import {
  copyToClipboard,
  createDeliveryPick,
  deliverCode,
  type DeliverCode,
  type DeliveredCode,
} from './codeDelivery.ts';
import { getCodeSource, type CodeSource } from './codeSource.ts';

/** The user's answers so far. */
interface Draft {
  requests: readonly CodeRequest[];
  language: CodeLanguage;
  deliver: DeliverCode;
}

/**
 * Generates code that sends the requests for a search, files or a transfer, and copies or inserts the code. The code
 * reads the key from an environment variable and never contains the key itself.
 */
export async function copyAsCode(
  services: CommandServices,
  argument: SharedArgument | undefined,
  selection: readonly SharedArgument[] | undefined,
): Promise<void> {
  const title = l10n.t('Copy as Code');
  const chosen = await chooseShared(services, argument, title);
  const source = chosen && getCodeSource(services, chosen, selection);
  const session = source && (await getOrOpenConnection(services, source.connectionId));
  if (!session) return;
  const service = toCodeService(session);
  const draft = await askDraft(title, service, source.variants);
  if (!draft) return;
  const requests = await resolveDatabaseNames(session, draft.requests);
  await deliverCode(
    services.notifications,
    draft.deliver,
    createCode(draft.language, writeCode(draft.language, service, requests)),
  );
}

function toCodeService({ connection, service }: OpenConnection): CodeService {
  const { id, scheme = 'base64', apiKeyVariable = keyVariable } = connection;
  const { address } = service;
  if (id === localConnectionId) return { address, scheme, keyVariable, addressVariable };
  return { address, scheme, keyVariable: apiKeyVariable };
}

async function askDraft(
  title: string,
  service: CodeService,
  variants: CodeSource['variants'],
): Promise<Draft | undefined> {
  const draft: Draft = { requests: variants[0] ?? [], language: 'curl', deliver: copyToClipboard };
  const delivery = createDeliveryPick();
  const isDone = await runSteps(title, [
    ...(variants.length > 1
      ? [
          createStep(
            () => createVariantPick(variants),
            (requests) => (draft.requests = requests),
          ),
        ]
      : []),
    createStep(
      () => createLanguagePick(service, draft.requests),
      (language) => (draft.language = language),
    ),
    ...(delivery.choices.length > 1
      ? [
          createStep(
            () => delivery,
            (deliver) => (draft.deliver = deliver),
          ),
        ]
      : []),
  ]);
  return isDone ? draft : undefined;
}

function createStep<T>(createPick: () => PickOptions<T>, store: (value: T) => void): Step {
  return async (position) => toStepResult(await pickOne(position, createPick()), store);
}

function createVariantPick(variants: CodeSource['variants']): PickOptions<readonly CodeRequest[]> {
  const choices = variants.map((value) => ({
    label: value[0]?.kind === 'transfer' ? l10n.t('Submission of this transfer') : l10n.t('Status of this transfer'),
    value,
  }));
  return { placeholder: l10n.t('Select the request to copy as code'), choices };
}

function createLanguagePick(service: CodeService, requests: readonly CodeRequest[]): PickOptions<CodeLanguage> {
  const all: Readonly<Record<CodeLanguage, Choice<CodeLanguage>>> = {
    python: { label: l10n.t('Python'), description: l10n.t('with {0}', 'dtspy'), value: 'python' },
    curl: { label: l10n.t('curl'), description: l10n.t('for bash and sh'), value: 'curl' },
    r: { label: 'R', description: l10n.t('with {0}', 'httr2'), value: 'r' },
  };
  return {
    placeholder: l10n.t('Select a language. The code reads the API key from {0}.', service.keyVariable),
    choices: listCodeLanguages(service, requests).map((language) => all[language]),
  };
}

/** Returns code as text and as a notebook cell. Code for curl becomes a `%%bash` cell for a Python notebook. */
function createCode(language: CodeLanguage, text: string): DeliveredCode {
  if (language === 'r') return { text, cellText: text, cellLanguage: 'r' };
  return { text, cellText: language === 'curl' ? `%%bash\n${text}` : text, cellLanguage: 'python' };
}
