import type { Reason, ReasonKind } from '../model/reason.ts';
import type { Translator } from './sharedSentences.ts';

/** The failures whose cause or remedy depends on the program. */
type RemedyKind = 'badAddress' | 'insecureAddress' | 'keyMissing' | 'keyGone' | 'keyElsewhere' | 'internalError';

/** The parts of sentences that the extension and the command line each provide. */
interface Wording {
  readonly l10n: Translator;
  /** Converts text from a server to one line without control or format characters. */
  readonly toPlainLine: (text: string) => string;
  /** Describes the failures whose cause or remedy depends on the program. */
  readonly remedies: Readonly<Record<RemedyKind, (reason: Reason) => string>>;
}

/**
 * Describes failures as the second half of a sentence, without a period, such as "the service can't be reached". The
 * extension and the command line share these sentences, so that they never contradict each other.
 */
export class ReasonWords {
  private readonly wording: Wording;
  private readonly texts: Readonly<Record<ReasonKind, (reason: Reason) => string>>;

  constructor(wording: Wording) {
    const { l10n } = wording;
    this.wording = wording;
    this.texts = {
      ...wording.remedies,
      badArgument: ({ detail }) => (detail === undefined ? l10n.t("a value isn't valid") : this.toLine(detail)),
      notConnected: () => l10n.t('not connected to the service'),
      variableEmpty: ({ detail }) =>
        l10n.t("the {0} environment variable for the API key isn't set", this.toLine(detail)),
      unreachable: (reason) => this.withCode(l10n.t("the service can't be reached"), reason),
      certificate: (reason) => this.withCode(l10n.t("the service's certificate isn't trusted"), reason),
      proxy: (reason) => this.describeProxy(reason),
      timeout: () => l10n.t("the service didn't respond in time"),
      dropped: (reason) => this.describeDrop(reason),
      unauthorized: (reason) => this.withDetail(this.describeSignInRejection(reason), reason),
      forbidden: (reason) =>
        this.withDetail(reason.signIn ? this.describeSignInRejection(reason) : l10n.t('access denied'), reason),
      notFound: (reason) => this.withDetail(l10n.t('not found on the service'), reason),
      refused: (reason) => this.withDetail(l10n.t('the service refused the request'), reason),
      serverError: (reason) => this.withDetail(l10n.t('the service returned an error'), reason),
      entryRejected: (reason) =>
        this.withDetail(l10n.t("the service's own validation rejected an entry in its response"), reason),
      redirect: () => l10n.t("the service redirected the request to another address; the key wasn't sent there"),
      noService: ({ detail }) =>
        detail === undefined
          ? l10n.t('no data transfer service was found at this address')
          : l10n.t('no data transfer service was found at this address; try {0}', this.toLine(detail)),
      serviceStopped: () => l10n.t('the local service is stopped'),
      unreadable: () => l10n.t("the server didn't respond like a data transfer service"),
      tooLarge: () => l10n.t('the response is too large'),
      foreignAnswer: (reason) => this.describeForeignResponse(reason),
      notSent: ({ code }) =>
        code === undefined
          ? l10n.t('the program ended or disconnected before the transfer was sent')
          : l10n.t("its record can't be saved ({0})", code),
      noFolderChoice: () => l10n.t("the service can't give the folder at the destination a chosen name"),
      noFollowUp: () =>
        l10n.t(
          'the service starts nothing after a transfer; a local service needs "followUps": true in its configuration',
        ),
      noContent: () => l10n.t("the service doesn't show the content of files"),
      queued: () => l10n.t('waiting for a submission to this server to finish'),
      lookupFailed: ({ cause }) =>
        cause
          ? l10n.t("nothing was sent because the files couldn't be looked up: {0}", this.describe(cause))
          : l10n.t("nothing was sent because the files couldn't be looked up"),
      cancelled: () => l10n.t('the operation was canceled'),
    };
  }

  describe(reason: Reason): string {
    return this.texts[reason.kind](reason);
  }

  /** Describes why nothing was sent. The first half of the sentence must already say that nothing was sent. */
  describeUnsent(reason: Reason): string {
    const { l10n } = this.wording;
    const { kind, cause } = reason;
    if (kind !== 'lookupFailed' || !cause) return this.describe(reason);
    return l10n.t("the files couldn't be looked up: {0}", this.describe(cause));
  }

  /** Describes a rejected sign-in without the service's message (D44: classify sign-in failures). */
  describeSignInRejection({ signIn, keyWorked, detail }: Reason): string {
    const { l10n } = this.wording;
    if (signIn === 'orcid') return l10n.t('the service rejected the ORCID iD');
    if (signIn === 'account') return l10n.t('the account for this API key has no ORCID iD');
    if (signIn === 'outage') return l10n.t("the service couldn't check the API key");
    const isOfKey = signIn === 'key' || detail === undefined;
    // A key that worked before may still be valid (D28: retry rejected keys), and a message that isn't recognized may
    // have another cause.
    return isOfKey && !keyWorked
      ? l10n.t('the service rejected the API key')
      : l10n.t('the service rejected the sign-in');
  }

  private describeDrop(reason: Reason): string {
    const { l10n } = this.wording;
    return reason.isIdAtFault
      ? l10n.t('the service closes the connection when the ID {0} is requested', this.toLine(reason.detail))
      : this.withCode(l10n.t('the connection was lost before the response was complete'), reason);
  }

  /** Describes why a response must belong to another request (D35: misrouted responses). */
  private describeForeignResponse({ code, detail }: Reason): string {
    const { l10n } = this.wording;
    const line = this.toLine(detail);
    if (code === 'NIL_ID') return l10n.t('the server returned a transfer ID of all zeros ({0})', line);
    if (code === 'KNOWN_ID') return l10n.t("the server returned another transfer's ID ({0})", line);
    if (code === 'TOO_MANY_FILES') {
      return l10n.t('the server returned an ID ({0}) for which it reports more files than were requested', line);
    }
    if (code === 'OTHER_SIZE') {
      return l10n.t(
        'the server returned an ID ({0}) for which it reports a total size that differs from that of the requested files',
        line,
      );
    }
    if (line === '') return l10n.t("the server's response belongs to another request");
    return l10n.t("the server's response belongs to another request: {0}", trimEndMark(line));
  }

  private describeProxy(reason: Reason): string {
    const { l10n } = this.wording;
    if (reason.status === 407) return l10n.t('the proxy requires a user name and password (407)');
    if (reason.status !== undefined) return l10n.t('the proxy rejected the request ({0})', reason.status);
    if (reason.code === 'UNSUPPORTED_PROXY') return l10n.t("this kind of proxy isn't supported");
    return this.withCode(l10n.t("the proxy can't be used"), reason);
  }

  private withCode(text: string, { code }: Reason): string {
    const { l10n } = this.wording;
    return code === undefined ? text : l10n.t('{0} ({1})', text, code);
  }

  private withDetail(text: string, { detail, status }: Reason): string {
    const { l10n } = this.wording;
    const line = trimEndMark(this.toLine(detail));
    if (line !== '') return l10n.t('{0}: {1}', text, line);
    return status === undefined ? text : l10n.t('{0} ({1})', text, status);
  }

  private toLine(text = ''): string {
    return this.wording.toPlainLine(text);
  }
}

/** Removes the final punctuation from a sentence, so that the sentence can be embedded in another one. */
function trimEndMark(text: string): string {
  return text.replace(/[\s.!?…]+$/u, '');
}
