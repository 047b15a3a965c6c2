import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { breaksConnection, isRefusal, isRepeatable } from '../src/errors.js';

function reported(code: string, severity: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError('x', 1, 'error'), { code, severity });
}

describe('what a server says of a statement', () => {
  it.each(['ERROR', 'FEHLER', 'ERREUR'])('is a refusal in its own language (%s)', (severity) => {
    for (const code of ['23505', '22P02', '42P01', '40P01', '40001', '55P03']) {
      expect(isRefusal(reported(code, severity)), code).toBe(true);
      expect(breaksConnection(reported(code, severity)), code).toBe(false);
    }
    expect(isRepeatable(reported('40P01', severity))).toBe(true);
  });

  it('is none when the connection ends, or when the outcome may be a commit', () => {
    for (const code of ['57P01', '08006', '40003']) expect(isRefusal(reported(code, 'ERROR')), code).toBe(false);
    expect(isRefusal(reported('57P01', 'FATAL'))).toBe(false);
    expect(isRefusal(reported('XX000', 'FEHLER'))).toBe(false);
    expect(isRefusal(new Error('Connection terminated'))).toBe(false);
  });
});
