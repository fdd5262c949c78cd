/** The version of the API that client and local service speak: `{base}/api/v1` (§9, D27). */
export const apiVersion = 1;
