/**
 * Matches variables that limit what rclone does, change what it prints, write secrets to logs, write profiles, or open
 * a listener. Other variables, such as those that configure remotes or contain the configuration's password, are passed
 * on.
 */
const ignoredVariables =
  /^RCLONE_(?:RC(?:_.*)?|METRICS_.*|CPUPROFILE|MEMPROFILE|LOG_.*|SYSLOG.*|USE_JSON_LOG|VERBOSE|QUIET|DUMP.*|PROGRESS.*|STATS.*|DRY_RUN|INTERACTIVE|INCLUDE.*|EXCLUDE.*|FILTER.*|FILES_FROM.*|MAX_.*|MIN_.*)$/;

/**
 * Returns an environment in which rclone never asks for a password and doesn't retry. `more` overrides other variables.
 */
export function createRcloneEnvironment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !ignoredVariables.test(name));
  const { AWS_CA_BUNDLE: certificates, ...rest } = Object.fromEntries(inherited);
  return {
    ...rest,
    // With AWS_CA_BUNDLE, rclone 1.60 can't connect to S3.
    ...(certificates !== undefined && { RCLONE_CA_CERT: certificates }),
    RCLONE_ASK_PASSWORD: 'false',
    RCLONE_RETRIES: '1',
    RCLONE_LOW_LEVEL_RETRIES: '1',
    RCLONE_CONTIMEOUT: '15s',
    ...more,
  };
}
