/** Malformed bytes or an unknown format. */
export class MalformedError extends Error {
  override readonly name = 'MalformedError';
}

export class Reader {
  readonly bytes: Buffer;
  at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  skip(length: number): void {
    this.at += length;
    if (this.at > this.bytes.length) throw new MalformedError('the bytes end too early');
  }

  byte(): number {
    this.skip(1);
    return this.bytes[this.at - 1] ?? 0;
  }

  uint32(): number {
    this.skip(4);
    return this.bytes.readUInt32LE(this.at - 4);
  }

  uint64(): bigint {
    this.skip(8);
    return this.bytes.readBigUInt64LE(this.at - 8);
  }

  /** CompactSize: 1 to 9 bytes. */
  compact(): number {
    const first = this.byte();
    if (first < 0xfd) return first;
    if (first === 0xfd) {
      this.skip(2);
      return this.bytes.readUInt16LE(this.at - 2);
    }
    if (first === 0xfe) return this.uint32();
    const long = this.uint64();
    // Bounds loops: no valid length is as large.
    if (long > 0xffffffffn) throw new MalformedError('a length is out of bounds');
    return Number(long);
  }

  /** A view, not a copy. */
  take(length: number): Buffer {
    this.skip(length);
    return this.bytes.subarray(this.at - length, this.at);
  }
}
