export const RESTORED_MARK = 'restored';
