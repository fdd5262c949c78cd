/** The version that the root document reports (§2.1). */
export const serviceVersion = '0.1.0';

/** The name that the root document reports (§2.1). */
export const serviceName = 'Data Transfer Local Service';
