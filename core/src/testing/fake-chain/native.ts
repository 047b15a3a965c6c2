/** Address that stands for the native coin of a fake chain. */
export const NATIVE = `0x${'0'.repeat(40)}`;
