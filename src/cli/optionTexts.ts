/** The descriptions of arguments and options that several commands have. */
export const optionTexts = {
  transferId: 'its ID, or a unique prefix of it',
  transferIds: 'IDs, or unique prefixes of them',
  timeout: 'with --wait, the maximum time to wait',
  database: 'the name or ID of the database',
  fileIds: 'the IDs of the files',
  folder: 'the destination folder, or the folder with the transferred files',
  again: 'transfer files even if another transfer is copying them to the same destination',
  wait: 'wait until the transfer has ended',
} as const;
