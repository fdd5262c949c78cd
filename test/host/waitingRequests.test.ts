import assert from 'node:assert/strict';
import { EventEmitter, window, type CancellationToken } from 'vscode';
import type { TransferNode } from '../../src/extension/editor/contributions.ts';
import { publicLike, type PublicState } from '../support/faultPersonality.ts';
import { eventually } from '../support/eventually.ts';
import { Gate } from '../support/gate.ts';
import { Stage } from './stage.ts';

const nmdc = 'National Microbiome Data Collaborative';
const route = 'POST /api/v1/transfers';
const cancels = 'DELETE /api/v1/transfers/*';

/** A progress notification shown by the extension. */
interface ShownProgress {
  readonly title: string;
  readonly messages: string[];
  cancel(): void;
  isOpen: boolean;
}

describe('Requests that wait for a submission to the same server (D34)', () => {
  const { withProgress } = window;
  let stage: Stage;
  let service: PublicState;
  let creating: Gate;
  let shown: ShownProgress[];

  beforeEach(async () => {
    stage = await Stage.open();
    service = publicLike(stage.server, 'the-key');
    creating = new Gate();
    stage.server.holdAt(creating, route);
    await stage.connect('the-key');
    await stage.search('JGI Data Portal', 'JDP:00000');
    shown = [];
    Object.assign(window, { withProgress: show });
  });
  afterEach(async () => {
    Object.assign(window, { withProgress });
    creating.release();
    await stage.close();
  });

  const show: typeof withProgress = async (options, task) => {
    const cancelled = new EventEmitter<unknown>();
    const progress: ShownProgress = {
      title: options.title ?? '',
      messages: [],
      cancel: () => cancelled.fire(undefined),
      isOpen: true,
    };
    shown.push(progress);
    const token: CancellationToken = { isCancellationRequested: false, onCancellationRequested: cancelled.event };
    const report = ({ message = '' }: { readonly message?: string }): void => void progress.messages.push(message);
    const result = await task({ report }, token);
    progress.isOpen = false;
    return result;
  };
  const nextProgress = async (): Promise<ShownProgress> => await eventually(() => Promise.resolve(shown.at(-1)));
  const received = (name: string): number => stage.server.requestsTo(name).length;

  /** Starts one transfer and submits a second one that the server doesn't answer. */
  const holdSecond = async (): Promise<TransferNode> => {
    const { transferStore, transferFlow } = stage.parts;
    await stage.transferAll(nmdc);
    await stage.moveOn(service, 'active');
    creating.hold();
    const [first] = transferStore.getAll();
    assert.ok(first);
    void transferFlow.submit(first.order);
    await eventually(() => Promise.resolve(received(route) === 2 || undefined));
    return { kind: 'transfer', key: first.key };
  };
  const cancel = async (node: TransferNode): Promise<void> => {
    const done = stage.run('dataTransfer.cancelTransfer', node);
    (await stage.person.notice(/^Cancel the transfer of /)).press('Cancel Transfer');
    await done;
  };

  it('are shown with the reason, and are sent when the submission has ended', async () => {
    const first = await holdSecond();
    const done = cancel(first);
    const { title, messages } = await nextProgress();
    assert.equal(title, `Cancel the transfer of 10 files to ${nmdc}`);
    assert.deepEqual(messages, [
      'Waiting for a submission to this server to finish. [Send Now…](command:dataTransfer.sendNow)',
    ]);
    assert.equal(received(cancels), 0);
    creating.release();
    await done;
    assert.equal(received(cancels), 1);
    assert.deepEqual([shown.map(({ isOpen }) => isOpen), service.dispatcher.maxConcurrentCount], [[false], 1]);
  });

  it('are sent immediately after the user confirms the risk', async () => {
    const done = cancel(await holdSecond());
    await nextProgress();
    for (const insists of [false, true]) {
      const sent = stage.run('dataTransfer.sendNow');
      const question = await stage.person.notice(/^Send this request now\? \(Cancel the transfer of 10 files to /);
      assert.match(question.detail, /mix up responses or stop responding for all users\.$/);
      if (insists) question.press('Send Now');
      else question.dismiss();
      await sent;
      if (!insists) assert.equal(received(cancels), 0);
    }
    await done;
    assert.equal(received(cancels), 1);
    assert.equal(service.transfers.size, 1, 'the submission is still pending');
  });

  it('are withdrawn by Cancel, without sending a request or reporting an error', async () => {
    await holdSecond();
    const done = stage.transferAll(nmdc);
    const progress = await nextProgress();
    assert.equal(progress.title, `Transfer 10 files to ${nmdc}`);
    progress.cancel();
    await done;
    assert.equal(received(route), 2);
    const [withdrawn] = stage.parts.transferStore.getFinished();
    assert.deepEqual([withdrawn?.state, withdrawn?.problem], ['cancelled', undefined]);
    assert.ok(!stage.person.notices.some(({ message }) => message.startsWith('Could not transfer')));
  });
});
