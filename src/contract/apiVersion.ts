/** The API version of the client and the local service: `{base}/api/v1` (§9, D27: API version). */
export const apiVersion = 1;
