/** The version that the root document reports (§2.1). */
export const serviceVersion = '0.2.0';
