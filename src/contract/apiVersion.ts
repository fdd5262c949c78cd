/**
 * The version of the API that the client and the local service implement, as in `{base}/api/v1` (§9, D27: API version).
 */
export const apiVersion = 1;
