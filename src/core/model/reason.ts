/** What stopped a request; words for people are made from it elsewhere. */
export type ReasonKind =
  | 'badAddress' // the address cannot be used as it is (D4)
  | 'insecureAddress' // plain http to an address that is not loopback (D4)
  | 'badArgument' // the client's own checks refused an argument (§4.8)
  | 'notConnected' // there is no connection to ask (§4.8)
  | 'keyMissing' // no key is kept for the connection
  | 'keyGone' // a key was kept here, and the editor has it no longer
  | 'keyElsewhere' // the key was given for another address, and goes nowhere else
  | 'variableEmpty' // the environment variable that is to hold the key is not set; `detail` names it
  | 'unreachable' // no connection could be made: name not found, refused
  | 'certificate' // TLS did not trust the server
  | 'proxy' // the proxy refused, or wants a password
  | 'timeout' // a time limit of D16 ran out
  | 'dropped' // the connection ended before the answer was whole, or before any of it came
  | 'unauthorized' // 401
  | 'forbidden' // 403
  | 'notFound' // 404
  | 'refused' // any other 4xx
  | 'serverError' // 5xx
  | 'entryRejected' // 5xx: the service's own validation rejected an entry of its answer (D38)
  | 'redirect' // a redirect that is not followed (D18)
  | 'noService' // 404 where every service has something: none answers there; `detail` is an address that may be right
  | 'serviceStopped' // the local service was stopped; its transfers continue at its next start (D29)
  | 'unreadable' // the answer is not the JSON that was expected (D15)
  | 'tooLarge' // the answer is larger than the bound (D15)
  | 'foreignAnswer' // the answer belongs to another request (D35); `code` tells by what, `detail` has its words or its id
  | 'queued' // a status request waits until a submission to the same server has ended (D34)
  | 'lookupFailed' // a request that had to come first failed, so nothing was sent (D36); `cause` tells why
  | 'cancelled'; // the caller's signal

/** Why a service rejected a sign-in, as far as its text tells (D44). */
export type SignInFailure =
  | 'key' // it refused the key
  | 'orcid' // it refused the ORCID iD of the request
  | 'account' // the account of the key has no ORCID iD
  | 'outage'; // it could not check the key

/** Why an operation has no value, or not the whole of it (D2, D14). Facts, no words of ours. */
export interface Reason {
  readonly kind: ReasonKind;
  /** The request's method and path, without query: `POST /api/v1/files`. */
  readonly request?: string;
  /** HTTP status, where there was an answer. */
  readonly status?: number;
  /** What the server or the network said, put together for reading by D14; plain text, never markup. */
  readonly detail?: string;
  /** The system's or TLS's code: `ECONNREFUSED`, `DEPTH_ZERO_SELF_SIGNED_CERT`. */
  readonly code?: string;
  /** For a rejected sign-in: why, where the server's text tells. */
  readonly signIn?: SignInFailure;
  /** True for a 401 to a key that this connection was accepted with before: the service may be mistaken (D28). */
  readonly keyWorked?: boolean;
  /** Why the request that had to come first failed (D36). */
  readonly cause?: Reason;
  /** Whether the request may have been acted upon although no usable answer came (D12). */
  readonly maybeDone?: boolean;
  /** The connection ends whenever this id alone is asked for, while the service answers other requests (D8). */
  readonly isIdAtFault?: boolean;
  /** How long the server asks to be left alone (`Retry-After`), in milliseconds (D16, D33). */
  readonly retryAfterMs?: number;
}
