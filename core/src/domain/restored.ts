/** Key of the mark, a time in milliseconds, that an older database was put back; written where it is put back. */
export const RESTORED_MARK = 'restored';
