/** Names, among the `features` of a root document, that the service answers ranges of a file's content. */
export const contentFeature = 'files.content';

/** Maximum number of bytes of a file in one response. */
export const maxContentBytes = 1024 * 1024;
