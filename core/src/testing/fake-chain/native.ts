export const NATIVE = `0x${'0'.repeat(40)}`;
