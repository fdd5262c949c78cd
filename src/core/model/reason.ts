/** The cause of a failed request. The extension and the command line each turn it into a message. */
export type ReasonKind =
  | 'badAddress' // the address cannot be used (D4: server address)
  | 'insecureAddress' // plain HTTP to a non-loopback address (D4: server address)
  | 'badArgument' // the client rejected an argument before sending (§4.8)
  | 'notConnected' // no connection is open (§4.8)
  | 'keyMissing' // no key is saved for the connection
  | 'keyGone' // the editor has lost the saved key
  | 'keyElsewhere' // the key belongs to a different address and is sent only to that address
  | 'variableEmpty' // the environment variable for the key is not set; `detail` contains its name
  | 'unreachable' // no connection could be established, for example because the name was not found
  | 'certificate' // the server's TLS certificate is not trusted
  | 'proxy' // the proxy is unusable or unreachable, refused the request, or requires a password
  | 'timeout' // a time limit was exceeded (D16: timeouts and retries)
  | 'dropped' // the connection was closed before or during the response
  | 'unauthorized' // 401
  | 'forbidden' // 403
  | 'notFound' // 404, or an error that says that the file or transfer was not found (D39: server data display)
  | 'refused' // any other 4xx
  | 'serverError' // 5xx
  | 'entryRejected' // 500: the service's own validation rejected an entry in its response (D38: learned searchability)
  | 'redirect' // a redirect that is not followed (D18: same-origin redirects)
  | 'noService' // 404 for a path that every service has; `detail` contains an address that may be correct
  | 'serviceStopped' // the local service was stopped; its transfers resume when it starts (D29: shared service)
  | 'unreadable' // the response is not valid HTTP, or not JSON of the expected form (D15: tolerant reading)
  | 'tooLarge' // the response exceeds the size limit (D15: tolerant reading)
  // the response belongs to another request (D35: misrouted responses); `code` identifies the failed check, and
  // `detail` contains the message or ID
  | 'foreignAnswer'
  | 'internalError' // this program failed unexpectedly; the log has the stack
  // the program ended, the connection was closed, or the record couldn't be saved, before the submission was sent (D12:
  // never resubmit); `code` contains the system's error code if saving failed
  | 'notSent'
  | 'noFolderChoice' // nothing was sent: the service can't give the transfer's folder a chosen name
  | 'noFollowUp' // nothing was sent: the service can't start anything after a transfer (D72: follow-ups)
  | 'noContent' // nothing was sent: the service doesn't return the content of files
  | 'queued' // a status request is waiting for a submission to the same server (D34: serialized requests)
  // a prerequisite request failed, so nothing was sent (D36: names before submission); `cause` contains the reason
  | 'lookupFailed'
  | 'cancelled'; // the caller canceled the request or closed the connection

/** The cause of a rejected sign-in, if the service's message reveals it (D44: classify sign-in failures). */
export type SignInFailure =
  | 'key' // the service refused the key
  | 'orcid' // the service refused the ORCID iD in the request
  | 'account' // the key's account has no ORCID iD
  | 'outage'; // the service could not check the key

/** The reason for a failure as data, without messages for the user (D2: replies instead of exceptions). */
export interface Reason {
  readonly kind: ReasonKind;
  /** The request's method and path, without the query, such as `POST /api/v1/files`. */
  readonly request?: string;
  readonly status?: number;
  /** The message from server or network, as plain text (D14: error documents); exceptions in {@link ReasonKind}. */
  readonly detail?: string;
  /** The system or TLS error code, such as `ECONNREFUSED`, unless otherwise noted in {@link ReasonKind}. */
  readonly code?: string;
  readonly signIn?: SignInFailure;
  /** True for a 401 response to a key that was accepted before: it may be temporary (D28: retry rejected keys). */
  readonly keyWorked?: boolean;
  /** The reason why a prerequisite request failed (D36: names before submission). */
  readonly cause?: Reason;
  /** True if the server may have processed the request without a usable response (D12: never resubmit). */
  readonly maybeDone?: boolean;
  /** True if the ID in `detail` closes the connection, and other requests succeed (D8: metadata by ids). */
  readonly isIdAtFault?: boolean;
  /** Minimum delay before the next request, in milliseconds, from `Retry-After` (D16: timeouts and retries). */
  readonly retryAfterMs?: number;
}
