/** Made by the build from the files that are there: each suite's file with the function that loads it. */
declare module 'host-suites' {
  export const suites: Readonly<Record<string, () => void>>;
}
