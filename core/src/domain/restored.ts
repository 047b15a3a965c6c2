/** Key of the mark, a time in milliseconds, written when an older database was restored. */
export const RESTORED_MARK = 'restored';
